import { type Browser } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { acme, followed, type InboxSetting, pageOf, startInbox, tickets } from '../notifications/inbox.js';
import { describeInBrowser, launch, resize, signedIn, violations } from './chromium.js';
import { until } from '../support/until.js';

describeInBrowser('the inbox in a browser', () => {
  let setting: InboxSetting;
  let browser: Browser;

  beforeEach(async () => {
    setting = await startInbox(acme(), { WTS_HOST: '127.0.0.1' });
    browser = await launch();
  });
  afterEach(async () => {
    await browser.close();
    await setting.stop();
  });

  const assign = async (id: string, more: object = {}): Promise<void> => {
    await setting.api.post(tickets, { ID: id, 'Assigned To': 'theo@acme.test', ...more }).expect(201);
    await followed(setting);
  };
  const asTheo = async (options: Parameters<typeof signedIn>[3] = {}) =>
    signedIn(browser, setting.service.url, await linkFor(setting.service, 'theo@acme.test'), options);

  it.each(['light', 'dark'] as const)(
    'is accessible, %s and narrow too, in both languages',
    async (colorScheme) => {
      await assign('T-1', { Name: 'The server room is flooded and nobody knows since when' });
      await assign('T-2');
      for (const locale of ['en-GB', 'de-DE']) {
        const { page, context, complaints } = await asTheo({ colorScheme, locale });
        for (const at of ['/inbox', '/account', await pageOf(setting.api, 'T-2')]) {
          await resize(page, 1280, 900);
          await page.goto(setting.service.url + at);
          expect([at, await violations(page)]).toEqual([at, []]);
          const snooze = page.locator('.snooze > summary').first();
          if (at === '/inbox') await snooze.click();
          await resize(page, 320, 700);
          expect([at, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([at, 320]);
          expect([at, await violations(page)]).toEqual([at, []]);
        }
        expect(complaints).toEqual([]);
        await context.close();
      }
    },
  );

  it('"live badge": it counts what comes while another page is open, and its line comes to the open inbox', async () => {
    const { page, context, complaints } = await asTheo();
    const badge = page.locator('.unread-count');
    await page.goto(`${setting.service.url}/account`);
    expect(await badge.isHidden()).toBe(true);
    await assign('T-1');
    await badge.getByText('1 unread').waitFor();
    await page.goto(`${setting.service.url}/inbox`);
    await assign('T-2');
    await page.getByRole('link', { name: /T-2/ }).waitFor();
    await badge.getByText('2 unread').waitFor();
    // What comes while its task is before one's eyes is read by that.
    await page.goto(setting.service.url + (await pageOf(setting.api, 'T-1')));
    await setting.api.post(`${tickets}/T-1/comments`, { body: 'Look' }).expect(201);
    await page.getByText('Look').waitFor();
    await until(
      'only the other one is unread',
      async () => (await badge.textContent())?.startsWith('1') === true,
    );
    // The page goes on waiting where it was shown anew and is what it was: an inbox is read by that.
    await page.route(/\/live\?/, (route) => route.fulfill({ json: { changed: true } }), { times: 1 });
    await page.reload();
    const isAsked = () => page.waitForResponse(/\/live\?|\/tasks\//);
    await isAsked();
    await isAsked();
    await setting.api.post(`${tickets}/T-1/comments`, { body: 'Check it' }).expect(201);
    await page.getByText('Check it').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('"by keyboard": j and k lead from line to line, e is done, s asks until when', async () => {
    for (const id of ['T-1', 'T-2', 'T-3', 'T-4']) await assign(id);
    const { page, context, complaints } = await asTheo();
    await page.goto(`${setting.service.url}/inbox`);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.querySelector(".row-title")?.textContent ?? ""');
    expect(await focused()).toBe('T-3');
    await page.keyboard.press('k');
    expect(await focused()).toBe('T-4');
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    // The next line takes the place of the one that went.
    await until('T-2 has the focus', async () => (await focused()) === 'T-2');
    expect(await page.locator('.row-title').allTextContents()).toEqual(['T-4', 'T-2', 'T-1']);
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    await page.locator('.notice-line').nth(2).waitFor({ state: 'detached' });
    expect(await page.locator('.row-title').allTextContents()).toEqual(['T-4', 'T-1']);
    await page.locator('.notice-line', { hasText: 'T-1' }).locator(':focus').waitFor();
    await page.keyboard.press('e');
    await page.locator('.notice-line', { hasText: 'T-4' }).locator(':focus').waitFor();
    expect(await page.locator('.row-title').allTextContents()).toEqual(['T-4']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('`@` completes an address while somebody types, and the browser tells its time zone', async () => {
    await assign('T-1');
    const { page, context, complaints } = await asTheo({ timezoneId: 'Asia/Tokyo' });
    await page.goto(setting.service.url + (await pageOf(setting.api, 'T-1')));
    const box = page.getByRole('textbox', { name: 'Write a comment' });
    await box.pressSequentially('Please, @mi');
    const mina = page.getByRole('button', { name: /mina@acme\.test/ });
    await mina.waitFor();
    expect(await violations(page)).toEqual([]);
    await box.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('Please, @mina@acme.test ');
    await box.press('Control+Enter');
    expect(await page.locator('.comment .mention').textContent()).toBe('@Mina');
    let row: { time_zone: string | null } | undefined;
    await until('the time zone is told', async () => {
      [row] = await setting.service.dataSource.query<{ time_zone: string | null }[]>(
        `SELECT time_zone, language FROM users WHERE email = 'theo@acme.test'`,
      );
      return row?.time_zone != null;
    });
    expect(row).toEqual({ time_zone: 'Asia/Tokyo', language: 'en' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('times are those of the browser from the first page on, in the editor too', async () => {
    await assign('T-1', { 'Close By': '2026-03-31T12:00:00Z' });
    const { page, context, complaints } = await asTheo({ timezoneId: 'Asia/Tokyo' });
    await setting.service.dataSource.query('UPDATE users SET time_zone = NULL');
    const task = setting.service.url + (await pageOf(setting.api, 'T-1'));
    const shown = page.locator('.field time', { hasText: /Mar 31, 2026, 9:00\sPM/ });
    await page.goto(task);
    await shown.waitFor();
    await setting.api.post(`${tickets}/T-1/comments`, { body: 'Look' }).expect(201);
    await page.getByText('Look').waitFor();
    expect(await shown.count()).toBe(1);
    await page.goto(`${task}?edit=Close%20By`);
    expect(await page.locator('input[type=datetime-local]').inputValue()).toBe('2026-03-31T21:00');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
