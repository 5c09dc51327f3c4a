import { type Page } from 'playwright-core';
import { evil, fillPages, isOutside, isRefused, pages } from '../console/every-page.js';
import { linkFor } from '../support/console.js';
import { served } from '../support/served.js';
import { describeInBrowser, launched, misfits, openContext, signedIn, violations } from './chromium.js';

/** Which pages are looked at together: the first that their address matches. */
const parts: Readonly<Record<string, RegExp>> = {
  'the lists of the administration': /^\/admin\/\w+(\?|$)/,
  'things of the administration': /^\/admin/,
  'a task': /^\{/,
  boards: /^\/workflows\/\w+(\?|$)/,
  'lists and forms': /^\/workflows/,
  'search and signing in': /^\/(search|sign-in|unsubscribe)/,
  'the rest': /./,
};

describeInBrowser('every page, with hostile texts', () => {
  const browser = launched();
  const mail = { WTS_SMTP_URL: 'smtp://127.0.0.1:9', WTS_MAIL_FROM: 'tasks@demo.test' };
  const { service } = served([], { WTS_HOST: '127.0.0.1', ...mail });
  let addressOf: (at: string) => string;
  beforeAll(async () => {
    addressOf = await fillPages(service);
  });

  /** What comes into sight only when something is done: where, what, and what is seen then. */
  const states: readonly [at: string, act: (page: Page) => Promise<unknown>, seen: string][] = [
    ['/workflows/vendors/new', (page) => page.getByRole('button', { name: 'Create task' }).click(), '#refusal:focus'],
    ['/workflows/vendors', async (page) => { await page.locator('.filter-menu > summary').click(); await page.locator('.filter-menu').getByText('Risk', { exact: true }).first().click(); }, '.filter-menu [name=Risk]'],
    ['/workflows/vendors/list', async (page) => { await page.locator('[name=task]').first().check(); await page.getByText('Assign to…').click(); }, '#bulk-sure:modal'],
    ['/workflows/vendors/figures?group=Risk', async (page) => { for (const table of await page.locator('.figure summary').all()) await table.click(); }, '.figure details[open] td'],
    ['/inbox', (page) => page.locator('.pick').first().check(), '.bulk'],
    ['/account', (page) => page.getByRole('button', { name: 'Make an address' }).click(), '.shown-once'],
    ['/admin/keys?new', async (page) => { await page.locator('#form-name').fill('a program'); await page.locator('.admin-form button').click(); }, '.shown-once'],
    ['/admin/keys?new', (page) => page.locator('.admin-form button').click(), '.fault'],
    ['{task}', (page) => page.getByRole('button', { name: 'Delete this task' }).click(), 'dialog:modal'],
    ['/admin/keys/{key}', (page) => page.getByRole('button', { name: 'Revoke…' }).click(), 'dialog:modal'],
    ['{task}', async (page) => { await page.getByRole('textbox', { name: 'Write a comment' }).pressSequentially('@th'); }, '.mentions button, [role=listbox] button, button:has-text("theo@demo.test")'],
  ]; // prettier-ignore

  it.each(Object.keys(parts))(
    'of %s: it fits its window, axe finds nothing, and no unexpected script runs',
    async (part) => {
      const isPart = (at: string): boolean => partOf(at) === part;
      const options = { locale: 'en-GB', reducedMotion: 'reduce' } as const;
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
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          const found = [...(await misfits(page)), ...(looked.has(width) ? await violations(page) : [])];
          faults.push(...found.map((fault) => `${at} at ${width}: ${fault}`));
        }
      };
      for (const at of Object.values(pages).flat().filter(isPart)) {
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

const widths = [320, 375, 600, 768, 900, 1024, 1280];

const partOf = (at: string): string | undefined =>
  Object.keys(parts).find((part) => parts[part]?.test(at) === true);

/** The widths at which axe looks, in the light and in the dark: a phone, where menus fold, and a screen. */
const looked: ReadonlySet<number> = new Set([320, 1280]);
