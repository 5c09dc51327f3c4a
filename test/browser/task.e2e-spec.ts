import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type Page, type Route } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { awaitEnds } from '../support/ends.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { describeInBrowser, launch, signedIn, type ToldElement, treeOf, upload, violations } from './chromium.js'; // prettier-ignore

const contract = { name: 'contract.txt', mimeType: 'text/plain', buffer: Buffer.from('signed') };
const checks = ['Check the company register', 'Screen against sanctions lists'] as const;
const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');
const vendors = '/api/v1/workflows/vendors/tasks';

/** Somebody is sent a link, finds their task, and is told what it needs. */
describeInBrowser('the next action of a task in a browser', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    awaitEnds(service);
    await service.apply(demo.replace('name: Legal, edits: none', 'name: Legal, edits: assigned'));
    api = service.client(await service.key('demo'));
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const create = async (id: string, more: object = {}): Promise<string> => {
    const payload = { 'Vendor ID': id, 'Vendor Name': `Vendor ${id}`, ...more };
    const { body } = await api.post(vendors, payload).expect(201);
    return service.url + new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname;
  };
  const ofMina = { Stage: 'In Review', 'Assigned To': 'mina@demo.test' };
  const stageOf = async (id: string): Promise<unknown> =>
    Reflect.get(Object((await api.get(`${vendors}/${id}`)).body), 'Stage');
  const open = async (email: string, options?: Parameters<typeof signedIn>[3]) =>
    signedIn(browser, service.url, await linkFor(service, email), { locale: 'en-GB', ...options });
  const panelOf = (page: Page) => page.locator('#next-action');
  const announced = (page: Page, text: string) => page.locator('#announcer', { hasText: text }).waitFor();

  it('is met and done where it stands, by six clicks beside choosing the file', async () => {
    await create('P-1', ofMina);
    const { page, context, complaints } = await open('mina@demo.test');
    let clicks = 0;
    const click = async (what: ReturnType<Page['getByRole']>): Promise<void> => {
      clicks += 1;
      await what.click();
    };
    await click(page.locator('main').getByRole('link', { name: /Vendor P-1/ }).first()); // prettier-ignore
    const panel = panelOf(page);
    await panel.waitFor();
    // Why it is not possible, each beside what makes it so.
    expect(await panel.locator('.need-why').allInnerTexts()).toEqual([
      'Contract Value is required',
      'Contract is required',
      'Checklist must be completed 0 of 2 done',
    ]);
    await click(panel.getByLabel('Contract Value is required'));
    await page.keyboard.type('9800');
    await page.keyboard.press('Enter');
    await panel.getByText('Contract Value is required').waitFor({ state: 'detached' });
    await upload(page, () => panel.getByLabel('Contract is required').setInputFiles(contract));
    await panel.getByText('Contract is required').waitFor({ state: 'detached' });
    for (const title of checks) {
      await click(panel.getByRole('checkbox', { name: title }));
      await panel.getByRole('checkbox', { name: title }).waitFor({ state: 'detached' });
    }
    await announced(page, 'Approve is possible now');
    await click(panel.getByRole('link', { name: 'Approve…' }));
    const dialog = page.getByRole('dialog', { name: 'Approve this vendor?' });
    expect(await dialog.locator('.follows').innerText()).toMatch(
      /^Sets Approved On to \d+ \w+ \d{4}, creates INV-P-1-1 in Invoices with Amount to 9,800\.00, moves to Approved\.$/,
    );
    await click(dialog.getByRole('button', { name: 'Approve' }));
    await page.locator('#notices', { hasText: 'Approve: done' }).waitFor();
    await page.locator('.track [aria-current=step]', { hasText: 'Approved' }).waitFor();
    await announced(page, 'Approve: done');
    expect([await stageOf('P-1'), clicks, complaints]).toEqual(['Approved', 6, []]);
    expect(await page.locator('.linked').allInnerTexts()).toEqual([expect.stringContaining('INV-P-1-1')]);
    await context.close();
  });

  it('by keyboard: fifteen keys beside what is typed and choosing the file', async () => {
    await create('P-2', ofMina);
    const { page, context } = await open('mina@demo.test');
    let keys = 0;
    const press = async (key: string): Promise<void> => {
      keys += 1;
      await page.keyboard.press(key);
    };
    const focus = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    // It takes a moment until choosers are watched for.
    const chosen = page.waitForEvent('filechooser');
    await press('/');
    await page.keyboard.type('P-2');
    await press('Enter');
    await page.locator('#found').getByRole('link', { name: /P-2/ }).waitFor();
    await focus('#search-words');
    for (let tabs = 0; tabs < 5; tabs += 1) {
      if (await page.evaluate(() => document.activeElement?.matches('#found a'))) break;
      await press('Tab');
    }
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Vendor P-2' }).waitFor();
    await press('Tab');
    await press('Tab');
    await page.locator('a.skip:focus', { hasText: 'Skip to the next action' }).waitFor();
    await press('Enter');
    // It takes a moment until the way on begins there.
    await page.locator('a.skip:focus').waitFor({ state: 'detached' });
    await press('Tab');
    await focus('#next-action input[name=value]');
    await page.keyboard.type('9800');
    await press('Enter');
    // What is met goes, and the focus comes to what is next.
    await focus('#next-action input[type=file]');
    await press('Enter');
    await upload(page, async () => (await chosen).setFiles(contract));
    for (const title of checks) {
      await page.locator('#next-action [role=checkbox]:focus', { hasText: title }).waitFor();
      await press('Space');
    }
    await page.locator('#next-action a:focus', { hasText: 'Approve…' }).waitFor();
    await press('Enter');
    await focus('dialog button.primary');
    await press('Enter');
    await page.locator('#notices', { hasText: 'Approve: done' }).waitFor();
    expect(await stageOf('P-2')).toBe('Approved');
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(keys).toBeLessThanOrEqual(15);
    await context.close();
  });

  it('without JavaScript', async () => {
    const url = await create('P-3', ofMina);
    const { page, context } = await open('mina@demo.test', { javaScriptEnabled: false });
    await page.goto(url);
    const panel = panelOf(page);
    await panel.getByLabel('Contract Value is required').fill('9800');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByLabel('Contract is required').setInputFiles(contract);
    await panel.getByRole('button', { name: 'Upload' }).click();
    for (const title of checks) await panel.getByRole('checkbox', { name: title }).click();
    await panel.getByRole('link', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.locator('#notices', { hasText: 'Approve: done' }).waitFor();
    expect(await stageOf('P-3')).toBe('Approved');
    await context.close();
  });

  it('keeps what is ticked while a file is sent', async () => {
    const { page, context } = await open('mina@demo.test');
    await page.goto(await create('P-12', ofMina));
    const panel = panelOf(page);
    const [check] = checks;
    let letGo = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/*', async (route) => {
      const { 'content-type': type } = route.request().headers();
      if (type?.includes('urlencoded')) await isHeld;
      await route.continue();
    });
    const ticked = page.waitForRequest((request) => request.method() === 'POST');
    await panel.getByRole('checkbox', { name: check }).click();
    await ticked;
    // The file is there before the tick has left.
    await upload(page, () => page.locator('.field input[type=file]').setInputFiles(contract));
    await page.locator('.uploads li').waitFor({ state: 'detached' });
    letGo();
    await panel.getByRole('checkbox', { name: check }).waitFor({ state: 'detached' });
    await panel.getByText('Contract is required').waitFor({ state: 'detached' });
    await context.close();
  });

  it('is read by screen readers in its order, and what others do is announced', async () => {
    const url = await create('P-4', ofMina);
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    // The region is there before anything is said in it.
    expect(await page.locator('#announcer[role=status]').textContent()).toBe('');
    // The tree of Chromium: names and order.
    const tree = await treeOf(page);
    const told = tree.filter(({ role }) => toldRoles.has(role)).map(({ role, name }) => `${role} ${name}`);
    const from = told.indexOf('heading Vendor P-4');
    expect(told.slice(from, from + expectedTree.length)).toEqual(expectedTree);
    await api.put(vendors, { 'Vendor ID': 'P-4', Risk: 'Medium' }).expect(200);
    await announced(page, 'API (test) changed');
    await api.put(vendors, { 'Vendor ID': 'P-4', 'Contract Value': 5 }).expect(200);
    await announced(page, 'Approve needs: Contract is required, Checklist must be completed');
    expect(await violations(page)).toEqual([]);
    await context.close();
  });

  it('is found, met and done by what screen readers are told alone, and each step is announced', async () => {
    await create('P-8', ofMina);
    const { page, context } = await open('mina@demo.test');
    const session = await page.context().newCDPSession(page);
    /** Waits until the tree has an element of this role and name. */
    const find = async (role: string, name: RegExp): Promise<ToldElement> => {
      let found: ToldElement | undefined;
      await until(async () => {
        found = (await treeOf(page)).find((each) => each.role === role && name.test(each.name));
        return found !== undefined;
      });
      if (!found) throw new Error(`there is no ${role} ${String(name)}`);
      return found;
    };
    /** Presses an element of the tree as screen readers do. */
    const press = async (role: string, name: RegExp): Promise<void> => {
      const { backendNodeId } = await find(role, name);
      const { object } = await session.send('DOM.resolveNode', { backendNodeId });
      await session.send('Runtime.callFunctionOn', {
        objectId: object.objectId ?? '',
        functionDeclaration: 'function () { this.click(); }',
      });
    };
    // On the first page: which task, in which stage, and what it needs.
    await find('heading', /^My tasks/);
    const { name } = await find('link', /Vendor P-8/);
    expect(name).toMatch(/Vendors.*In Review|In Review.*Vendors/);
    await press('link', /Vendor P-8/);
    await find('heading', /^Vendor P-8$/);
    // The panel is a region of its own, and one link from the head of the page.
    await find('link', /^Skip to the next action$/);
    await find('region', /^Next$/);
    const { backendNodeId } = await find('spinbutton', /^Contract Value is required$/);
    await session.send('DOM.focus', { backendNodeId });
    await page.keyboard.type('9800');
    await press('button', /^Save: Contract Value$/);
    await announced(page, 'Approve needs: Contract is required, Checklist must be completed');
    const chooser = await find('button', /^Contract is required$/);
    const path = join(tmpdir(), `contract-${process.pid}.txt`);
    writeFileSync(path, 'signed');
    await upload(page, async () => {
      await session.send('DOM.setFileInputFiles', { files: [path], backendNodeId: chooser.backendNodeId });
      const { object } = await session.send('DOM.resolveNode', { backendNodeId: chooser.backendNodeId });
      await session.send('Runtime.callFunctionOn', { objectId: object.objectId ?? '', functionDeclaration: "function () { this.dispatchEvent(new Event('change', { bubbles: true })); }" }); // prettier-ignore
    });
    await announced(page, 'Approve needs: Checklist must be completed');
    for (const title of checks) {
      await press('checkbox', new RegExp(`^${title}$`));
      await panelOf(page).getByRole('checkbox', { name: title }).waitFor({ state: 'detached' });
    }
    await announced(page, 'Approve is possible now');
    await press('link', /^Approve…$/);
    await find('dialog', /^Approve this vendor\?$/);
    await find('StaticText', /^Sets Approved On to .*, creates INV-P-8-1 in Invoices with Amount to 9,800\.00, moves to Approved\.$/); // prettier-ignore
    // Behind the dialog nothing is read.
    expect((await treeOf(page)).some(({ name }) => name === 'Vendor P-8')).toBe(false);
    await press('button', /^Approve$/);
    await announced(page, 'Approve: done');
    await find('heading', /^Vendor P-8$/);
    expect(await stageOf('P-8')).toBe('Approved');
    rmSync(path);
    await context.close();
  });

  it('says which role may, and who holds it; and leads to what a failed step has met', async () => {
    const url = await create('P-5', { ...ofMina, 'Contract Value': 5, Notes: 'x' });
    const noor = await open('noor@demo.test');
    await noor.page.goto(url);
    await panelOf(noor.page)
      .getByText(
        'noor@demo.test may not perform Approve: Administrator (mina@demo.test), Reviewer (theo@demo.test) may',
      )
      .waitFor();
    await noor.context.close();

    await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': 'INV-P-5-1', Amount: 1 }).expect(201);
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    const panel = panelOf(page);
    await upload(page, () => panel.getByLabel('Contract is required').setInputFiles(contract));
    for (const title of checks) {
      await panel.getByRole('checkbox', { name: title }).click();
      await panel.getByRole('checkbox', { name: title }).waitFor({ state: 'detached' });
    }
    await panel.getByRole('link', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.locator('#refusal').getByRole('link', { name: /Invoices INV-P-5-1 exists already/ }).click(); // prettier-ignore
    await page.getByRole('heading', { level: 1, name: 'INV-P-5-1' }).waitFor();
    await context.close();
  });

  it('keeps what was typed into a form that is refused as a whole or not answered, and says why', async () => {
    const url = await create('R-1', { 'Assigned To': 'noor@demo.test' });
    const { page, context } = await open('noor@demo.test');
    await page.goto(url);
    const box = page.getByRole('textbox', { name: 'Write a comment' });
    await box.fill('They called back');
    await api.put(vendors, { 'Vendor ID': 'R-1', 'Assigned To': 'theo@demo.test' }).expect(200);
    await box.press('Control+Enter');
    await page.locator('#refusal:focus', { hasText: 'You do not have permission. Your role' }).waitFor();
    expect(await box.inputValue()).toBe('They called back');
    await page.route(/comments$/, (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await box.press('Control+Enter');
    await page.locator('#refusal:focus', { hasText: 'No connection' }).waitFor();
    expect(await box.inputValue()).toBe('They called back');
    await api.put(vendors, { 'Vendor ID': 'R-1', 'Assigned To': 'noor@demo.test' }).expect(200);
    await box.press('Control+Enter');
    await page.locator('.time-line .comment', { hasText: 'They called back' }).waitFor();
    expect(await page.locator('#refusal').count()).toBe(0);
    await context.close();
  });

  it('shows no part of a page that did not come: it says that the session has ended, or shows what came', async () => {
    const url = await create('R-2', { Notes: 'As it was' });
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    const notes = page.locator('.field', { hasText: 'As it was' });
    const edit = notes.getByRole('link', { name: 'Edit: Notes' });
    await page.route(/edit=/, async (route) => route.fulfill({ response: await route.fetch({ url: `${service.url}/nowhere` }) }), { times: 1 }); // prettier-ignore
    await edit.click();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(url);
    const refusedBy = (status: number) => (route: Route) =>
      route.fulfill({ status, contentType: 'text/html', body: '<p>Refused</p>' });
    // What asks by itself leaves its place as it is.
    await page.route(/palette/, refusedBy(503), { times: 1 });
    const refused = page.waitForResponse(/palette/);
    await page.keyboard.press('Control+k');
    await refused;
    await page.keyboard.press('Escape');
    await page.route(/edit=/, refusedBy(401), { times: 1 });
    await edit.click();
    await page.locator('.connection', { hasText: 'You are signed out' }).waitFor();
    expect([await notes.count(), await page.getByText('Content missing').count()]).toEqual([1, 0]);
    await context.close();
  });

  it('opens a value by a click on it, takes the last change back, and folds what is long or empty', async () => {
    const Notes = Array.from({ length: 40 }, (_, at) => `Line ${at}`).join('\n');
    const url = await create('P-6', { ...ofMina, Notes, Risk: 'Low' });
    const { page, context, complaints } = await open('mina@demo.test');
    await page.goto(url);
    const text = page.locator('.clamped-text');
    const height = async (): Promise<number> => (await text.boundingBox())?.height ?? 0;
    const clamped = await height();
    await page.getByText('Show more').click();
    expect([clamped < 200, (await height()) > 400]).toEqual([true, true]);
    expect(await page.getByText('Website').isVisible()).toBe(false);
    await page.locator('#empty-fields > summary').click();
    await page.getByText('Website').waitFor();

    const risk = page.locator('.field', { hasText: 'Risk' });
    await risk.locator('.badge', { hasText: 'Low' }).click();
    await risk.locator('select').selectOption('High');
    await risk.getByRole('button', { name: 'Save' }).click();
    await risk.locator('.badge', { hasText: 'High' }).waitFor();
    await page.locator('#time-line').getByRole('button', { name: 'Undo' }).click();
    await risk.locator('.badge', { hasText: 'Low' }).waitFor();
    const { body } = await api.get(`${vendors}/P-6/history`).expect(200);
    const changes = (body as { data: { changes?: object } }[]).map(({ data }) => data.changes);
    expect(changes.filter((each) => Object.keys(each ?? {}).join() === 'Risk')).toEqual([
      { Risk: { from: 'High', to: 'Low' } },
      { Risk: { from: 'Low', to: 'High' } },
    ]);
    await page.getByRole('link', { name: 'Comments', exact: true }).click();
    await page.locator('.time-line > .event').first().waitFor({ state: 'detached' });
    expect([complaints, await violations(page)]).toEqual([[], []]);
    await context.close();
  });

  it('previews texts, pictures and PDF; no script of a file ever runs', async () => {
    const url = await create('P-7', ofMina);
    const { page, context } = await open('mina@demo.test');
    await page.goto(url);
    const script = '<script>parent.hacked = true; document.title = "hacked"</script> signed';
    const files = [
      ['a.txt', 'text/plain', script],
      ['b.html', 'text/html', script],
      ['c.pdf', 'application/pdf', pdf],
      ['d.pdf', 'application/pdf', script],
      ['e.pdf', 'application/pdf', `%PDF-1.4\n${script}`],
    ] as const;
    for (const [name, mimeType, bytes] of files) {
      await upload(page, () => page.locator('.field input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) })); // prettier-ignore
      await page.getByRole('link', { name, exact: true }).waitFor();
    }
    const previews = page.getByRole('link', { name: /^Preview/ });
    expect(await previews.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual(
      ['a.txt', 'c.pdf', 'd.pdf', 'e.pdf'].map((name) => `Preview: ${name}`),
    );
    /** Opens a preview; how its file is answered. */
    const preview = async (name: string) => {
      await page.goto(url);
      await page.getByRole('link', { name: `Preview: ${name}` }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      const shown = await page.request.get(page.url().replace(/preview$/, 'shown'));
      return shown.headers();
    };
    const isHacked = (): Promise<boolean> => page.evaluate(() => 'hacked' in globalThis || document.title === 'hacked'); // prettier-ignore
    const frame = page.locator('iframe.preview');

    expect(await preview('a.txt')).toMatchObject({
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringContaining('inline'),
    });
    await page.frameLocator('iframe.preview').getByText('<script>parent.hacked').waitFor();
    expect([await frame.getAttribute('sandbox'), await isHacked()]).toEqual(['', false]);

    // Its own script opens a dialog, in which it says what it can reach.
    const said = page.waitForEvent('dialog');
    expect(await preview('c.pdf')).toMatchObject({
      'content-type': 'application/pdf',
      'content-security-policy':
        "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringContaining('inline'),
    });
    const dialog = await said;
    expect(dialog.message()).toBe('undefined undefined undefined');
    await dialog.dismiss();
    expect([await frame.getAttribute('title'), await isHacked(), await violations(page)]).toEqual(['c.pdf', false, []]); // prettier-ignore

    expect(await preview('d.pdf')).toMatchObject({ 'content-disposition': expect.stringContaining('attachment') }); // prettier-ignore
    await page.getByText('This file has no preview').waitFor();
    expect(await frame.count()).toBe(0);
    expect(await preview('e.pdf')).toMatchObject({ 'content-type': 'application/pdf', 'x-content-type-options': 'nosniff' }); // prettier-ignore
    // The viewer of the browser has it.
    await until(() => page.frames().some((each) => each.url().startsWith('chrome-extension:')));
    expect(await isHacked()).toBe(false);

    await page.goto(url);
    const html = await page.getByRole('link', { name: 'b.html', exact: true }).getAttribute('href');
    const saved = await page.request.get(`${service.url}${html ?? ''}/shown`);
    expect(saved.headers()['content-disposition']).toContain('attachment');
    await context.close();
  });
});

/** A page of PDF whose script tells by a dialog what it knows of the page around it. */
const pdf = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\([typeof window, typeof document, typeof fetch].join\\(' '\\)\\);) >> >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] >> endobj
trailer << /Root 1 0 R >>
%%EOF`;

const toldRoles = new Set(['heading', 'textbox', 'spinbutton', 'button', 'link', 'checkbox']);

/** From the title to the end of what the next action needs. */
const expectedTree: readonly string[] = [
  'heading Vendor P-4',
  'link Move by hand',
  'link Edit: Assigned To',
  'heading Next',
  'spinbutton Contract Value is required',
  'button Save: Contract Value',
  'button Contract is required',
  'checkbox Check the company register',
  'checkbox Screen against sanctions lists',
  'heading Other actions',
];
