import { linkFor, pageOf, servedTo } from '../support/console.js';
import { describeInBrowser, launched, signedIn } from './chromium.js';

const tickets = '/api/v1/workflows/tickets/tasks';

const acme = `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: theo@acme.test, first_name: Theo }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Close By, type: datetime }]
    roles: [{ id: admin, name: Admin, admin: true }, { id: clerk, name: Clerk }]
    members: [{ email: mina@acme.test, role: admin }, { email: theo@acme.test, role: clerk }]
`;

describeInBrowser('people who work together, each in a browser of their own', () => {
  const browser = launched();
  const { service, api } = servedTo([], acme, { WTS_HOST: '127.0.0.1' });

  const open = async (name: string, options: Parameters<typeof signedIn>[3] = {}) =>
    signedIn(browser, service.url, await linkFor(service, `${name}@acme.test`), options);
  /** Makes a ticket of Theo's, of which he is told; gives the address of its page. */
  const assign = async (id: string, more: object = {}): Promise<string> => {
    const values = { ID: id, 'Assigned To': 'theo@acme.test', ...more };
    const path = pageOf(await api.post(tickets, values).expect(201));
    await service.settle();
    return service.url + path;
  };

  it('opening a task reads its notifications, and does not refresh a page that was left', async () => {
    const ofMina = { 'Assigned To': 'mina@acme.test' };
    const slow = await assign('T-8', ofMina);
    // A browser in another time zone would refresh its first page.
    const { page, context } = await open('mina', { timezoneId: 'Europe/Berlin' });
    const refreshed: string[] = [];
    page.on('request', (request) => {
      if (request.headers()['x-live'] && !request.url().includes('/live?')) refreshed.push(request.url());
    });
    await page.goto(`${service.url}/inbox`);
    // The inbox is told of a change while it is left.
    const asked = page.waitForRequest(slow);
    const told = page.waitForResponse(/\/live\?/);
    await page.route(slow, (route) => told.then(() => route.continue()), { times: 1 });
    await page.getByRole('link', { name: /T-8/ }).press('Enter');
    await asked;
    await assign('T-9', ofMina);
    await page.getByRole('textbox', { name: 'Write a comment' }).waitFor();
    await page.locator('.unread-count').getByText('1 unread').waitFor();
    expect(refreshed).toEqual([]);
    await context.close();
  });

  it("a person reads notifications in the inbox, by keyboard and in the person's own time zone", async () => {
    const { page, context, complaints } = await open('theo', { timezoneId: 'Asia/Tokyo' });
    const badge = (text: string) => page.locator('.unread-count').getByText(text).waitFor();
    await page.goto(service.url);
    expect(await page.locator('.unread-count').isHidden()).toBe(true);
    const first = await assign('T-1', { 'Close By': '2026-03-31T12:00:00Z' });
    await badge('1 unread');
    await page.goto(`${service.url}/inbox`);
    const second = await assign('T-2');
    await page.getByRole('link', { name: /T-2/ }).waitFor();
    await badge('2 unread');

    // What comes while its task is before one's eyes is read by that, also on a page that was shown anew as it was.
    await page.goto(first);
    await badge('1 unread');
    const shown = page.locator('.field time', { hasText: /Mar 31, 2026, 9:00\sPM/ });
    await shown.waitFor();
    await page.route(/\/live\?/, (route) => route.fulfill({ json: { changed: true } }), { times: 1 });
    await page.reload();
    const isAsked = () => page.waitForResponse(/\/live\?|\/tasks\//);
    await isAsked();
    await isAsked();
    await api.post(`${tickets}/T-1/comments`, { body: 'Check it' }).expect(201);
    await service.settle();
    await page.getByText('Check it').waitFor();
    await badge('1 unread');
    expect(await shown.count()).toBe(1);
    await page.goto(`${first}?edit=Close%20By`);
    expect(await page.locator('input[type=datetime-local]').inputValue()).toBe('2026-03-31T21:00');

    // An address is completed while it is typed.
    await page.goto(second);
    const box = page.getByRole('textbox', { name: 'Write a comment' });
    await box.pressSequentially('Please, @mi');
    await page.getByRole('button', { name: /mina@acme\.test/ }).waitFor();
    await box.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('Please, @mina@acme.test ');
    // Enter and Tab in the box choose the first.
    for (const key of ['Enter', 'Tab']) {
      await box.fill('');
      await box.pressSequentially('@mi');
      await page.getByRole('button', { name: /mina@acme\.test/ }).waitFor();
      await box.press(key);
      expect(await box.inputValue()).toBe('@mina@acme.test ');
    }
    await box.press('Control+Enter');
    await page.locator('.comment .mention', { hasText: '@Mina' }).waitFor();

    for (const id of ['T-3', 'T-4']) await assign(id);
    await page.goto(`${service.url}/inbox`);
    const titles = (): Promise<string[]> => page.locator('.notice-line .row-title').allTextContents();
    const focusOn = (id: string) => page.locator('.notice-line', { hasText: id }).locator(':focus').waitFor();
    const [newest = '', next = '', third = '', ...others] = await titles();
    const done = (id: string) =>
      page.locator('.notice-line', { hasText: id }).locator('button[value=done]').press('Enter');
    await done(next);
    // The next line takes the place of the one that went.
    await focusOn(third);
    expect(await titles()).toEqual([newest, third, ...others]);
    await done(third);
    await focusOn(others[0] ?? newest);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('an administrator copies a key that is shown once', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, context, complaints } = await open('mina', { permissions });
    await page.goto(`${service.url}/admin/keys`);
    await page.getByRole('link', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('the books');
    await page.getByLabel('Scope').selectOption('read');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    expect((await service.client(key).get('/api/v1/workspace')).status).toBe(200);
    expect(page.url()).toBe(`${service.url}/admin/keys`);
    await page.getByRole('link', { name: 'Executions' }).click();
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    await page.goBack();
    await page.getByText('the books').first().waitFor();
    expect(await page.content()).not.toContain(key);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
