import { type Browser } from 'playwright-core';
import { linesOf, type Mailing, startMailing } from '../mail/mailing.js';
import { describeInBrowser, launch, openContext, violations } from './chromium.js';

describeInBrowser('signing in by mail, and ending mail, in a browser', () => {
  let at: Mailing;
  let browser: Browser;
  beforeAll(async () => {
    // Browsers keep cookies of this address without TLS.
    at = await startMailing(undefined, { WTS_HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:1' });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await at.stop();
  });

  it.each([true, false])(
    'works with JavaScript and without (%s), and keeps nobody out',
    async (javaScriptEnabled) => {
      const context = await openContext(browser, { javaScriptEnabled, locale: 'en' });
      const page = await context.newPage();
      const faults: string[] = [];
      const look = async (): Promise<void> => {
        if (javaScriptEnabled) faults.push(...(await violations(page)));
      };
      const count = at.mails.letters.filter(({ to }) => to === 'theo@acme.test').length;
      await page.goto(`${at.service.url}/sign-in`);
      await look();
      await page.getByLabel('Your e-mail address').fill('theo@acme.test');
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.waitForURL('**/sign-in/code');
      const letter = (await at.mails.lettersTo('theo@acme.test', count + 1)).at(-1);
      await page.getByLabel('Code').fill('12345');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('.fault', { hasText: 'is wrong, used up or too old' }).waitFor();
      await look();
      await page.getByLabel('Code').fill(linesOf(letter).find((line) => /^\d{6}$/.test(line)) ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'theo@acme.test' }).waitFor();
      await at.assign(`B-${String(javaScriptEnabled)}`, 'ada');
      await at.pass(6);
      const [told] = await at.settled().then((letters) => letters.filter(({ to }) => to === 'ada@acme.test'));
      const link = new URL(told?.headers.get('list-unsubscribe')?.slice(1, -1) ?? '');
      await page.goto(`${at.service.url}${link.pathname}`);
      await look();
      await page.getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
      await look();
      expect(faults).toEqual([]);
      await at.service.dataSource.query(`UPDATE users SET notification_choices = '{}'`);
      await context.close();
    },
  );
});
