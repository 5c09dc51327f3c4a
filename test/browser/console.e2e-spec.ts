import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { transform } from 'esbuild';
import { awaitEnds } from '../support/ends.js';
import { until } from '../support/until.js';
import { type Browser, type Page, type Response } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { startSlowProxy } from '../support/slow-proxy.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, openContext, signedIn, upload, violations } from './chromium.js';

const contract = { name: 'contract.txt', mimeType: 'text/plain', buffer: Buffer.from('signed') };
const checks = ['Check the company register', 'Screen against sanctions lists'];
const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');

describeInBrowser('the console in a browser', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    awaitEnds(service);
    await service.apply(demo);
    api = service.client(await service.key('demo'));
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const create = async (id: string, more: object = {}): Promise<string> => {
    const payload = { 'Vendor ID': id, 'Vendor Name': `Vendor ${id}`, ...more };
    const { body } = await api.post('/api/v1/workflows/vendors/tasks', payload);
    return service.url + new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname;
  };
  const stageOf = async (id: string): Promise<unknown> =>
    Reflect.get(Object((await api.get(`/api/v1/workflows/vendors/tasks/${id}`)).body), 'Stage');
  const open = async (email: string, options?: Parameters<typeof signedIn>[3]) =>
    signedIn(browser, service.url, await linkFor(service, email), options);

  /** Opens the form of a value, which may be folded away with what is empty. */
  async function edit(page: Page, name: string): Promise<void> {
    const link = page.getByRole('link', { name: `Edit: ${name}` });
    if (!(await link.isVisible())) await page.locator('#empty-fields > summary').click();
    await link.click();
  }

  /** Enters a value as people do: by the pen beside it. */
  async function enter(page: Page, name: string, value: string): Promise<void> {
    await edit(page, name);
    const control = page.locator('.entry [name=value]');
    if ((await control.evaluate((element) => element.tagName)) === 'SELECT')
      await control.selectOption(value);
    else await control.fill(value);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.entry [name=value]').waitFor({ state: 'detached' });
  }

  it('lives through a vendor: told why not, filled in, ticked, approved, and seen to end', async () => {
    const url = await create('L-1', { Stage: 'In Review' });
    const { page, context, complaints } = await open('mina@demo.test');
    await page.goto(url);
    expect(await page.locator('#next-action .need-why').allInnerTexts()).toEqual([
      'Contract Value is required',
      'Contract is required',
      'Checklist must be completed 0 of 2 done',
      'Must be assigned',
    ]);

    await enter(page, 'Contract Value', '9500');
    await page.getByText('9,500.00').first().waitFor();
    await enter(page, 'Assigned To', 'mina@demo.test');
    await upload(page, () => page.locator('.field input[type=file]').setInputFiles(contract));
    await page.getByRole('link', { name: 'contract.txt', exact: true }).waitFor();
    const list = page.locator('#checklist');
    for (const title of checks) {
      await list.getByRole('checkbox', { name: title, checked: false }).click();
      await list.getByRole('checkbox', { name: title, checked: true }).waitFor();
    }
    await page.getByRole('link', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.locator('#notices').getByText('Approve: done').waitFor();
    expect(await stageOf('L-1')).toBe('Approved');
    expect(await page.locator('.linked .row-id, .linked .row-title').allInnerTexts()).toContain('INV-L-1-1');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows by itself what was changed elsewhere, and leaves alone what somebody is typing', async () => {
    const url = await create('L-2');
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    await edit(page, 'Notes');
    const notes = page.locator('.field textarea');
    await notes.fill('half a sent');
    await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'L-2', Risk: 'High', Notes: 'theirs' });
    await page.locator('.field', { hasText: 'Risk' }).getByText('High').waitFor();
    expect(await notes.inputValue()).toBe('half a sent');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('theirs').first().waitFor();
    await page.getByRole('button', { name: 'Save my value' }).click();
    await page.locator('.prose', { hasText: 'half a sent' }).waitFor();
    await context.close();
  });

  it('works without JavaScript, from creating a task to its end', async () => {
    const { page, context } = await open('mina@demo.test', { javaScriptEnabled: false });
    await page.goto(`${service.url}/workflows/vendors/new`);
    // The action Approve writes it.
    expect(await page.getByLabel('Approved On').count()).toBe(0);
    await page.getByLabel('Vendor Name').fill('Vendor L-3');
    await page.getByLabel('Vendor ID').fill('L-3');
    await page.getByRole('button', { name: 'Create task' }).click();
    const panel = page.locator('#next-action');
    await panel.getByLabel('Must be assigned').selectOption('mina@demo.test');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Start review' }).click();
    await page.locator('#notices').getByText('Start review: done').waitFor();
    await panel.getByLabel('Contract Value is required').fill('9.999');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.locator('.fault').waitFor();
    await panel.getByLabel('Contract Value is required').fill('9500');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByLabel('Contract is required').setInputFiles(contract);
    await panel.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('link', { name: 'contract.txt', exact: true }).waitFor();
    for (const title of checks) await panel.getByRole('checkbox', { name: title, checked: false }).click();
    await page.getByRole('link', { name: 'Approve…' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('#notices').getByText('Approve: done').waitFor();
    expect(await stageOf('L-3')).toBe('Approved');
    await context.close();
  });

  it('by keyboard alone: creates, is told why not, fills in, ticks, acts and sees it end, and never loses the focus', async () => {
    const { page, context, complaints } = await open('mina@demo.test');
    /** Goes there as people do who have no mouse. */
    async function tabTo(name: string, tag: string): Promise<void> {
      const isThere = async (): Promise<boolean> =>
        page.evaluate(
          ([name, tag]) => {
            const at = document.activeElement;
            const said = at?.getAttribute('aria-label') ?? at?.closest('label, form')?.textContent ?? '';
            const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? Array.from(at.labels ?? [], ({ textContent }) => textContent) : []; // prettier-ignore
            const names = [at?.textContent ?? '', said, ...labels].map((text) => text.trim());
            return at?.localName === tag && names.some((text) => text.startsWith(name));
          },
          [name, tag] as const,
        );
      for (let times = 0; times < 120; times += 1) {
        if (await isThere()) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`there is no way to ${name}`);
    }
    /** A page that is shown anew has its focus again after its next frame. */
    const keepsFocus = () => page.waitForFunction(() => document.activeElement !== document.body);
    await tabTo('Vendors', 'a');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Vendors' }).waitFor();
    await tabTo('New task', 'a');
    await page.keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Vendor L-6');
    await tabTo('Vendor ID', 'input');
    await page.keyboard.type('L-6');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Vendor L-6' }).waitFor();

    await tabTo('Must be assigned', 'select');
    // A select forgets after a second what was typed.
    await page.keyboard.type('M');
    await tabTo('Save', 'button');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Start review' }).waitFor();
    await keepsFocus();
    await tabTo('Start review', 'button');
    await page.keyboard.press('Enter');
    await page.locator('#notices').getByText('Start review: done').waitFor();
    await keepsFocus();
    await tabTo('Contract Value is required', 'input');
    await page.keyboard.type('9500');
    await page.keyboard.press('Enter');
    await page.getByText('9,500.00').first().waitFor();
    const chosen = page.waitForEvent('filechooser');
    await tabTo('Contract', 'input');
    await page.keyboard.press('Enter');
    await upload(page, async () => (await chosen).setFiles(contract));
    await page.getByRole('link', { name: 'contract.txt', exact: true }).waitFor();
    for (const title of checks) {
      await tabTo(title, 'button');
      await page.keyboard.press('Space');
      await page.locator('#checklist').getByRole('checkbox', { name: title, checked: true }).waitFor();
      await keepsFocus();
    }
    await tabTo('Approve…', 'a');
    await page.keyboard.press('Enter');
    await page.locator('dialog button:focus', { hasText: 'Approve' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('a:focus', { hasText: 'Approve…' }).press('Enter');
    await page.locator('dialog button:focus', { hasText: 'Approve' }).press('Enter');
    await page.locator('#notices').getByText('Approve: done').waitFor();
    await keepsFocus();
    expect([await stageOf('L-6'), complaints]).toEqual(['Approved', []]);
    await context.close();
  });

  it('two people at one value: nobody overwrites, and nobody loses, what was written', async () => {
    const url = await create('L-7', { 'Assigned To': 'mina@demo.test', Stage: 'In Review' });
    const [mina, theo] = [await open('mina@demo.test'), await open('theo@demo.test')];
    for (const { page } of [mina, theo]) {
      await page.goto(`${url}?edit=Notes`);
      await page.locator('.field textarea').fill(page === mina.page ? 'of Mina' : 'of Theo');
    }
    await theo.page.getByRole('button', { name: 'Save', exact: true }).click();
    await theo.page.locator('.prose', { hasText: 'of Theo' }).waitFor();
    // Hers stands as she typed it, while the page around it goes on.
    await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'L-7', Risk: 'Medium' });
    await mina.page.locator('.field', { hasText: 'Risk' }).getByText('Medium').waitFor();
    expect(await mina.page.locator('.field textarea').inputValue()).toBe('of Mina');

    await mina.page.getByRole('button', { name: 'Save', exact: true }).click();
    await mina.page.getByRole('alert').filter({ hasText: 'of Theo' }).waitFor();
    expect(await mina.page.locator('.field textarea').inputValue()).toBe('of Mina');
    await mina.page.getByRole('button', { name: 'Save my value' }).click();
    await theo.page.locator('.prose', { hasText: 'of Mina' }).waitFor();
    const { body } = await api.get('/api/v1/workflows/vendors/tasks/L-7/history');
    expect(JSON.stringify(body)).toContain('of Theo');
    for (const { context } of [mina, theo]) await context.close();
  });

  it('a refused task is said in sight, with the focus on it, and leads to what is wrong; what an action came to stays in sight', async () => {
    const { page, context } = await open('mina@demo.test');
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto(`${service.url}/workflows/vendors/new`);
    await page.getByText('More fields').click();
    await page.getByLabel('Notes').fill('x');
    await page.getByRole('button', { name: 'Create task' }).click();
    const refusal = page.locator('#refusal');
    await refusal.waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'refusal');
    const box = await refusal.boundingBox();
    expect([box !== null && box.y >= 0 && box.y < 500, await page.title()]).toEqual([true, expect.stringMatching(/^Error: /)]); // prettier-ignore
    await refusal.getByRole('link', { name: /^Vendor Name/ }).click();
    await page.locator('[name="Vendor Name"]:focus').waitFor();
    await page.goto(await create('N-1', { Stage: 'New', 'Assigned To': 'mina@demo.test' }));
    const region = page.locator('#notices');
    expect(await region.innerText()).toBe('');
    await page.evaluate(() => {
      window.scrollTo(0, document.body.scrollHeight);
    });
    await page.getByRole('button', { name: 'Start review' }).click();
    await region.getByText('Start review: done').waitFor();
    const said = await region.boundingBox();
    expect(said !== null && said.y >= 0 && said.y < 500).toBe(true);
    await context.close();
  });

  it('finds tasks by the key / and while somebody types, and links one that is chosen by keyboard', async () => {
    const url = await create('L-61', { 'Vendor Name': 'Harbour' });
    await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': 'INV-6', Amount: 5 });
    const { page, context, complaints } = await open('mina@demo.test');
    await page.goto(`${service.url}/account`);
    await page.keyboard.press('/');
    await page.keyboard.type('L-61');
    await page.keyboard.press('Enter');
    await page.locator('#search-words').fill('Harb');
    // The results of the earlier search contain this link, too.
    await page.locator('#found[src*="Harb"][complete]').waitFor();
    await page.locator('#found').getByRole('link', { name: 'Harbour' }).click();
    await page.waitForURL(url);
    await page.locator('.finder input').first().fill('INV-6');
    await page.getByRole('button', { name: 'Link INV-6' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.linked a', { hasText: 'INV-6' }).waitFor();

    await page.goto(`${service.url}/workflows/invoices/new`);
    await page.getByLabel('Invoice ID').fill('INV-7');
    await page.getByLabel('Amount').fill('7');
    // What Enter chooses is still to come.
    for (const name of ['INV-6', 'Harb']) await page.getByLabel('Vendor', { exact: true }).fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'L-61 Harbour', checked: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Amount').press('Enter');
    await page.locator('.linked a', { hasText: 'Harbour' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('opens a result that is clicked while the next search is under way', async () => {
    const url = await create('L-62', { 'Vendor Name': 'Quayside' });
    const { page, context } = await open('mina@demo.test');
    await page.goto(`${service.url}/search?q=L-62`);
    const asked = page.waitForRequest(/q=Quay/);
    let click = (): void => undefined;
    const isClicked = new Promise<void>((resolve) => (click = resolve));
    let answered = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answered = resolve));
    await page.route(/q=Quay/, async (route) => {
      const answer = await route.fetch();
      await isClicked;
      await route.fulfill({ response: answer }).catch(() => undefined);
      answered();
    });
    await page.route(url, async (route) => {
      await isAnswered;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.locator('#search-words').fill('Quay');
    await asked;
    await page.locator('#found').getByRole('link', { name: 'Quayside' }).click();
    click();
    await page.waitForURL(url);
    await page.getByRole('heading', { name: 'Quayside' }).waitFor();
    await context.close();
  });

  it('sends several files, and says beside each why it is refused', async () => {
    const url = await create('L-71');
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    const files = Array.from({ length: 7 }, (_, at) => ({
      name: `${at}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`file ${at}`),
    }));
    // The announcer keeps a message only until the next one, so all messages are collected.
    await page.evaluate(() => {
      const announcer = document.getElementById('announcer');
      const { dataset } = document.documentElement;
      if (!announcer) return;
      new MutationObserver(() => {
        dataset['heard'] = [dataset['heard'], announcer.textContent].join('\n');
      }).observe(announcer, { childList: true });
    });
    await page.locator('.upload input[type=file]').setInputFiles(files);
    const refused = page.locator('.uploads li', { hasText: 'holds more than' });
    await refused.first().waitFor();
    await page.waitForFunction(() => /\.txt: .*holds more than/.test(document.documentElement.dataset['heard'] ?? '')); // prettier-ignore
    const taken = page.locator('.files a:first-child');
    await taken.first().waitFor();
    // Each has an answer of its own.
    await until(async () => (await refused.count()) + (await taken.count()) === 7);
    await context.close();
  });

  it('moves nothing on a page that comes, and axe finds nothing in a refused form, light or dark, wide or narrow', async () => {
    const url = await create('L-5', {
      'Assigned To': 'mina@demo.test',
      Notes: 'Long\ntext',
      Regions: ['EMEA'],
      Website: 'https://acme.test',
    });
    await api.post('/api/v1/workflows/vendors/tasks/L-5/comments', {
      body: 'Hello',
      performed_by: 'theo@demo.test',
    });
    const pages = [
      '/',
      '/account',
      '/console/styleguide',
      '/workflows/vendors',
      '/workflows/vendors?Risk=High&Vendor%20Name=none',
      '/workflows/vendors/list',
      '/workflows/vendors/new',
      '/search',
      '/search?q=V',
      '/search?q=nothing+such',
      url,
      `${url}?edit=Notes`,
      `${url}?edit=Regions`,
      `${url}?confirm=start-review`,
      '/workflows/none/tasks/none',
    ];
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      const { page, context } = await open('mina@demo.test', {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await page.addInitScript(watchShifts);
      for (const at of pages) {
        await page.goto(new URL(at, service.url).href);
        expect([at, width, await page.evaluate('shifts')]).toEqual([at, width, []]);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect([at, width, isWide]).toEqual([at, width, false]);
      }
      await page.goto(`${service.url}/workflows/vendors/new`);
      await page.getByRole('button', { name: 'Create task' }).click();
      await page.locator('.new-task .fault').first().waitFor();
      expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
      await context.close();
    }
  });

  it('moves nothing while a page comes slowly: what depends on the rest of it has its room beforehand', async () => {
    const url = await create('L-9', { Stage: 'In Review', 'Assigned To': 'mina@demo.test', Notes: 'Some' });
    const slow = await startSlowProxy(service.url);
    const { page, context } = await open('mina@demo.test');
    await page.addInitScript(watchShifts);
    for (const at of [
      '/',
      '/workflows/vendors',
      '/workflows/vendors/list',
      new URL(url).pathname,
      '/admin',
    ]) {
      await page.goto(slow.url + at);
      expect([at, await page.locator('h1').count(), await page.evaluate('shifts')]).toEqual([at, 1, []]);
    }
    await context.close();
    slow.stop();
  });

  it('sends a first page of at most 70 kB, a board and a task, too', async () => {
    const url = await create('L-8', { Notes: 'Some notes' });
    for (let number = 1; number <= 100; number += 1)
      await create(`W-${number}`, { Stage: ['New', 'In Review', 'Rejected'][number % 3] });
    const { context } = await open('mina@demo.test');
    const state = await context.storageState();
    await context.close();
    for (const at of [service.url, `${service.url}/workflows/vendors`, url]) {
      const fresh = await openContext(browser, { storageState: state });
      const page = await fresh.newPage();
      const answers: Response[] = [];
      page.on('response', (response) => answers.push(response));
      await page.goto(at, { waitUntil: 'load' });
      const bytes = await Promise.all(
        answers.filter((answer) => !answer.url().includes('/live?')).map(weigh),
      );
      expect([at, bytes.length > 5, bytes.reduce((sum, each) => sum + each, 0) < 70_000]).toEqual([at, true, true]); // prettier-ignore
      await fresh.close();
    }
  });
});

/** Notes what moves on a page without anybody doing anything. */
// A tenth of what is called good: a busy machine may show a page before the last bytes of it have come.
const watchShifts = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      if (value >= 0.01) shifts.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 100))]);
  }).observe({ type: 'layout-shift', buffered: true });`;

/** The bytes of an answer over the wire; of scripts and sheets those that the build makes of them. */
async function weigh(answer: Response): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await answer.request().sizes();
  const loader = /\.(js|css)$/.exec(answer.url())?.[1];
  if (loader !== 'js' && loader !== 'css') return responseBodySize + responseHeadersSize;
  const { code } = await transform(await answer.text(), { loader, minify: true });
  return (await promisify(brotliCompress)(code)).length + responseHeadersSize;
}
