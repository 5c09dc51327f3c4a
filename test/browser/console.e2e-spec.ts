import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, signedIn, violations } from './chromium.js';

const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');

describeInBrowser('the console in a browser', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
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

  /** Enters a value as people do: by the pen beside it. */
  async function enter(page: Page, name: string, value: string): Promise<void> {
    await page.getByRole('link', { name: `Edit: ${name}` }).click();
    const control = page.locator('.entry [name=value]');
    if ((await control.evaluate((element) => element.tagName)) === 'SELECT')
      await control.selectOption(value);
    else await control.fill(value);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.entry [name=value]').waitFor({ state: 'detached' });
  }

  it('lives through a vendor: told why not, filled in, ticked, approved, and seen to end', async () => {
    const url = await create('L-1', { Stage: 'In Review' });
    const { page, context, complaints } = await open('mina@demo.test');
    await page.goto(url);
    const reasons = page.locator('.impossible', { hasText: 'Approve' }).getByRole('listitem');
    expect(await reasons.allInnerTexts()).toEqual([
      'Contract Value is required',
      'Contract is required',
      'Checklist must be completed',
      'Must be assigned',
    ]);

    await page.getByRole('link', { name: 'Contract Value is required' }).click();
    await page.locator('.entry input[name=value]').fill('12500');
    await page.keyboard.press('Enter');
    await page.getByText('12,500.00').waitFor();
    await enter(page, 'Assigned To', 'mina@demo.test');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'contract.txt', mimeType: 'text/plain', buffer: Buffer.from('signed') });
    await page.getByRole('link', { name: 'contract.txt' }).waitFor();
    for (const title of ['Check the company register', 'Screen against sanctions lists']) {
      await page.getByRole('checkbox', { name: title, checked: false }).click();
      await page.getByRole('checkbox', { name: title, checked: true }).waitFor();
    }
    await page.getByRole('link', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approve: done').waitFor();
    expect(await stageOf('L-1')).toBe('Approved');
    expect(await page.locator('.linked .row-id, .linked .row-title').allInnerTexts()).toContain('INV-L-1-1');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows within two seconds what was changed elsewhere, and leaves alone what somebody is typing', async () => {
    const url = await create('L-2');
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    await page.getByRole('link', { name: 'Edit: Notes' }).click();
    const notes = page.locator('.field textarea');
    await notes.fill('half a sent');
    await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'L-2', Risk: 'High', Notes: 'theirs' });
    await page.locator('.field', { hasText: 'Risk' }).getByText('High').waitFor({ timeout: 2000 });
    expect(await notes.inputValue()).toBe('half a sent');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('theirs').first().waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.locator('.lines', { hasText: 'half a sent' }).waitFor();
    await context.close();
  });

  it('works without JavaScript', async () => {
    const url = await create('L-3');
    const { page, context } = await open('mina@demo.test', { javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole('link', { name: 'Must be assigned' }).click();
    await page.locator('.entry select').selectOption('theo@demo.test');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Start review' }).click();
    await page.getByText('Start review: done').waitFor();
    expect(await stageOf('L-3')).toBe('In Review');
    await context.close();
  });

  it('by keyboard alone: from the list to a value that is saved, with the focus kept', async () => {
    await create('L-4', { 'Assigned To': 'theo@demo.test' });
    const { page, context } = await open('theo@demo.test');
    await page.getByRole('link', { name: /Vendor L-4/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Vendor L-4' }).waitFor();
    await page.getByRole('link', { name: 'Edit: Phone' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.entry input[name=value]:focus').waitFor();
    await page.keyboard.type('+49 30 1234');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '+49 30 1234' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest('.field')?.textContent)).toContain(
      'Phone',
    );
    await context.close();
  });

  it('keeps nobody out: axe finds nothing on any page, light or dark, wide or narrow', async () => {
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
      for (const at of pages) {
        await page.goto(new URL(at, service.url).href);
        expect([at, colorScheme, await violations(page)]).toEqual([at, colorScheme, []]);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect([at, width, isWide]).toEqual([at, width, false]);
      }
      await context.close();
    }
  });

  it('sends a first page of at most 60 kB', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await session.send('Network.enable');
    await page.goto(service.url, { waitUntil: 'networkidle' });
    // Those of the tests are not made smaller by the build: they weigh a third more.
    expect(bytes).toBeLessThan(80_000);
    await context.close();
  });
});
