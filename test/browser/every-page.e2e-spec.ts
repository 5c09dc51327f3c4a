import { type Browser, type Page } from 'playwright-core';
import { evil, fillPages, isOutside, isRefused, pages } from '../console/every-page.js';
import { linkFor } from '../support/console.js';
import { startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, openContext, signedIn, violations } from './chromium.js';

describeInBrowser('every page, light and wide or dark and narrow, with hostile texts', () => {
  let service: TestService;
  let browser: Browser;
  let addressOf: (at: string) => string;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1', WTS_SMTP_URL: 'smtp://127.0.0.1:9', WTS_MAIL_FROM: 'tasks@demo.test' }); // prettier-ignore
    addressOf = await fillPages(service);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** What comes into sight only when something is done: where, what, and what is seen then. */
  const states: readonly [at: string, act: (page: Page) => Promise<unknown>, seen: string][] = [
    ['/workflows/vendors/new', (page) => page.getByRole('button', { name: 'Create task' }).click(), '#refusal:focus'],
    ['/workflows/vendors', (page) => page.locator('.filter-menu > summary').click(), '.filter-menu [name=Risk]'],
    ['/workflows/vendors', (page) => page.keyboard.press('Control+k'), '.palette [aria-selected=true]'],
    ['/account', (page) => page.keyboard.press('?'), 'dialog[open]'],
    ['/workflows/vendors/list', async (page) => { await page.locator('[name=task]').first().check(); await page.getByText('Assign to', { exact: true }).click(); }, '#bulk details[open]'],
    ['/inbox', (page) => page.locator('.snooze > summary').first().click(), '.snooze[open]'],
    ['/admin/keys/new', async (page) => { await page.locator('#form-name').fill('a program'); await page.locator('.admin-form button').click(); }, '.shown-once'],
    ['/admin/keys/new', (page) => page.locator('.admin-form button').click(), '.fault'],
    ['{task}', async (page) => { await page.getByRole('textbox', { name: 'Write a comment' }).pressSequentially('@th'); }, '.mentions button, [role=listbox] button, button:has-text("theo@demo.test")'],
  ]; // prettier-ignore

  it.each([
    ['light', 'work'],
    ['light', 'administration'],
    ['dark', 'work'],
    ['dark', 'administration'],
  ] as const)(
    'in the %s, of %s: axe finds nothing wrong, none is wider than its window, and no policy is violated',
    async (colorScheme, part) => {
      const isPart = (at: string): boolean => at.startsWith('/admin') === (part === 'administration');
      const viewport = { width: colorScheme === 'light' ? 1280 : 320, height: 800 };
      const options = { colorScheme, viewport, locale: 'en-GB', reducedMotion: 'reduce' } as const;
      const link = await linkFor(service, 'mina@demo.test');
      const { page: inside, context } = await signedIn(browser, service.url, link, options);
      const signedOut = await openContext(browser, options);
      const outside = await signedOut.newPage();
      const faults: string[] = [];
      for (const page of [inside, outside]) {
        page.on(
          'dialog',
          (dialog) => void dialog.dismiss().then(() => faults.push(`${page.url()} ran ${evil}`)),
        );
        page.on('console', (message) => {
          if (/Content Security Policy|refused to/i.test(message.text())) faults.push(`${page.url()} ${message.text()}`); // prettier-ignore
        });
      }
      const look = async (page: Page, at: string): Promise<void> => {
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        // What pages of the administration are made of is looked at in the dark on other pages.
        const isLooked = colorScheme === 'light' || part === 'work';
        const found = [
          ...(isWide ? ['is scrolled sideways'] : []),
          ...(isLooked ? await violations(page) : []),
        ];
        faults.push(...found.map((fault) => `${at} ${fault}`));
      };
      const walked = Object.values(pages).flatMap((ways) =>
        colorScheme === 'light' ? ways : ways.slice(0, 1),
      );
      for (const at of walked.filter(isPart)) {
        const page = isOutside(at) ? outside : inside;
        const answer = await page.goto(service.url + addressOf(at));
        if (answer?.ok() === isRefused(at)) faults.push(`${at} answers with ${answer.status()}`);
        await page.locator('main :is(h1, h2)').first().waitFor();
        await look(page, at);
      }
      for (const [at, act, seen] of states.filter(([at]) => isPart(at))) {
        await inside.goto(service.url + addressOf(at));
        await act(inside);
        await inside.locator(seen).first().waitFor();
        await look(inside, `${at} with ${seen}`);
      }
      expect(faults).toEqual([]);
      await Promise.all([context.close(), signedOut.close()]);
    },
  );
});
