import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, resize, signedIn, violations } from './chromium.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina }]
workflows:
  - id: vendors
    name: Vendors
    search: true
    stages: [{ name: New }, { name: Review }, { name: Rejected, end: true, outcome: dropped }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Name, type: text }]
    checklist: [{ title: Look it up, stage: New }]
    roles: [{ id: admin, name: Admin, admin: true }]
    members: [{ email: mina@acme.test, role: admin }]
    actions: [{ id: review, name: Start review, stages: [New], steps: [{ name: Move, type: move_to_stage, stage: Review }] }]
`;

describeInBrowser('the command palette and the keys', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  let at: { page: Page; context: BrowserContext; complaints: string[] };
  const paths: string[] = [];

  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    await service.apply(definition);
    api = service.client(await service.key('acme'));
    for (const [ID, Name] of [
      ['V-1', 'Harbour Freight'],
      ['V-2', 'Northern Mills'],
      ['V-3', 'Aldgate'],
    ]) {
      const { body } = await api.post('/api/v1/workflows/vendors/tasks', { ID, Name }).expect(201);
      paths.push(new URL((body as { 'Task URL': string })['Task URL']).pathname);
    }
    browser = await launch();
  });
  beforeEach(async () => {
    at = await signedIn(browser, service.url, await linkFor(service, 'mina@acme.test'));
  });
  afterEach(async () => {
    expect(at.complaints).toEqual([]);
    await at.context.close();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = async (path: string): Promise<void> => {
    await at.page.goto(service.url + path);
  };
  const selected = () => at.page.locator('.palette [aria-selected=true]');

  it('goes to a page, to a task by its Unique ID or words, and does what the open task offers', async () => {
    const { page } = at;
    await open('/account');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Page, Unique ID or words' });
    await selected().getByText('My tasks').waitFor();
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('mills');
    await selected().getByText('V-2 Northern Mills').waitFor();
    expect(await box.getAttribute('aria-activedescendant')).toBe(await selected().getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(service.url + (paths[1] ?? ''));
    await page.keyboard.press('Control+k');
    await selected().getByText('Start review').waitFor();
    await page.keyboard.press('ArrowDown');
    await selected().getByText('My tasks').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('#notices').getByText('Start review: done').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('webho');
    await selected().getByText('Webhooks').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/admin/webhooks`);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.locator('.palette').waitFor({ state: 'hidden' });
  });

  it('Enter does nothing that was found before what was typed last: it waits for what is found for that', async () => {
    const { page } = at;
    await open(paths[2] ?? '');
    await page.keyboard.press('Control+k');
    await selected().getByText('Start review').waitFor();
    let enter = (): void => undefined;
    const isEntered = new Promise<void>((resolve) => (enter = resolve));
    await page.route(/palette\?q=inbox$/, async (route) => {
      await isEntered;
      await route.continue();
    });
    await page.keyboard.type('inbox');
    await page.keyboard.press('Enter');
    enter();
    await page.waitForURL(`${service.url}/inbox`);
    const { body } = await api.get('/api/v1/workflows/vendors/tasks/V-3').expect(200);
    expect(body).toMatchObject({ Stage: 'New' });
  });

  it('j and k lead through lines and cards, a to the actions, e to an edit; ? tells of them', async () => {
    const { page } = at;
    await open('/workflows/vendors/list');
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
    await page.keyboard.press('j');
    const first = await focused();
    await page.keyboard.press('j');
    expect(await focused()).not.toBe(first);
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\//);
    await open(paths[2] ?? '');
    await page.keyboard.press('a');
    expect(await focused()).toBe('Start review');
    await page.keyboard.press('e');
    await page.locator('main .entry :is(input:not([type=hidden]), select, textarea)').first().waitFor();
    await page.keyboard.press('Escape');
    await open('/account');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Next line or card').waitFor();
  });

  it('no key does anything while somebody types, or alone where its reader has switched that off (WCAG 2.1.4)', async () => {
    const { page } = at;
    await open('/workflows/vendors/new');
    await page.getByLabel('Name').focus();
    await page.keyboard.type('?jka');
    await page.keyboard.press('Control+k');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await open('/account');
    await page.getByRole('button', { name: 'Turn these keys off' }).click();
    await page.getByText('Single keys are off').waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    expect([await page.locator('dialog[open]').count(), page.url()]).toEqual([0, `${service.url}/account`]);
    await page.keyboard.press('Control+k');
    await selected().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Turn these keys on' }).click();
    await page.getByText('These keys work outside text fields').waitFor();
  });

  it.each(['light', 'dark'] as const)('is accessible, %s, at 320 pixels too', async (colorScheme) => {
    const { page } = at;
    await page.emulateMedia({ colorScheme });
    await open('/workflows/vendors');
    await page.keyboard.press('Control+k');
    await selected().waitFor();
    for (const width of [1280, 320]) {
      await resize(page, width, 800);
      expect([width, await violations(page)]).toEqual([width, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      if (process.env['SHOTS'])
        await page.screenshot({ path: `${process.env['SHOTS']}/palette-${colorScheme}-${width}.png` });
    }
    await page.keyboard.press('Escape');
    await page.locator('.palette').waitFor({ state: 'hidden' });
    // The browser takes the focus from what it has hidden in its own time.
    await page.waitForFunction('!document.activeElement.matches("input")');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    expect(await violations(page)).toEqual([]);
    if (process.env['SHOTS'])
      await page.screenshot({ path: `${process.env['SHOTS']}/keys-${colorScheme}.png` });
    await page.keyboard.press('Escape');
    for (const path of [`${paths[0] ?? ''}/delete`, '/admin/bin']) {
      await open(path);
      expect([path, await violations(page)]).toEqual([path, []]);
      if (process.env['SHOTS'])
        await page.screenshot({
          path: `${process.env['SHOTS']}/${path.split('/').at(-1)}-${colorScheme}.png`,
        });
    }
  });

  it('deletes a task by a dialog, says so, and brings it back', async () => {
    const { page } = at;
    await open(paths[0] ?? '');
    await page.getByRole('link', { name: /^Delete this task/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Harbour Freight?' });
    await dialog.getByText('Cancel').click();
    await page.getByRole('link', { name: /^Delete this task/ }).click();
    // The closed dialog leaves the mouse above a link of the deleted task: on a slow network, that must not be prefetched.
    await page.route('**/delete', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.fulfill({ response });
    });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'V-1 Harbour Freight is deleted' }).waitFor();
    expect(await violations(page)).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/deleted.png` });
    await page.getByRole('button', { name: 'Restore V-1 Harbour Freight' }).click();
    await page.waitForURL(service.url + (paths[0] ?? ''));
    await page.getByRole('heading', { level: 1, name: 'Harbour Freight' }).waitFor();
  });

  it('on paper stands the task, and nothing that can be done with it', async () => {
    const { page } = at;
    await open(paths[0] ?? '');
    await page.emulateMedia({ media: 'print' });
    for (const shown of ['.task-title', '.fields', '.item-title'])
      expect([shown, await page.locator(shown).first().isVisible()]).toEqual([shown, true]);
    for (const hidden of ['.sidebar', 'main form:not(.item-tick)', '.delete'])
      expect([hidden, await page.locator(hidden).first().isVisible()]).toEqual([hidden, false]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/print-task.png` });
    await open('/workflows/vendors/list');
    expect([
      await page.locator('.task-list').isVisible(),
      await page.locator('.filters').isVisible(),
    ]).toEqual([true, false]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/print-list.png` });
    await page.emulateMedia({ media: 'screen' });
  });
});
