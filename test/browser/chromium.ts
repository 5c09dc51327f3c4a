import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { executable } from './find-chromium.mjs';
import { patience } from '../support/until.js';

/** Tests that need a browser are left out, and say so, where there is none; with CI set they fail instead. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  if (executable !== undefined) {
    describe(name, tests);
    return;
  }
  if (process.env['CI'])
    it(`${name}: there is no Chromium`, () => { throw new Error('install chromium'); }); // prettier-ignore
  else
    describe.skip(`${name} (left out: there is no Chromium; install it, or name it by CHROMIUM_PATH)`, tests);
};

export async function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'] });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page, in a line each. It is brought in past the page's policy, which forbids it. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const run = `${axe};axe.run({ resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200)))))`;
  const { result } = await session.send('Runtime.evaluate', { expression: run, awaitPromise: true });
  await session.detach();
  return JSON.parse(String(result.value)) as string[];
}

/** A browser of somebody's own, who waits for whatever takes long. */
export async function openContext(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patience);
  return context;
}

/** Waits until the files that `choose` chooses are sent, and the page has been shown anew. */
export async function upload(page: Page, choose: () => Promise<unknown>): Promise<void> {
  const sent = page.waitForEvent('requestfinished', (request) => /\/files\//.test(request.redirectedFrom()?.url() ?? '')); // prettier-ignore
  await choose();
  await sent;
  await page.waitForFunction(() => document.querySelector('.uploads li, html[aria-busy]') === null);
}

/** A window of a browser in which a link has signed somebody in, and what its console has complained of. */
export async function signedIn(
  browser: Browser,
  url: string,
  link: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await openContext(browser, options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(`${url}/sign-in/${link}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/`);
  return { page, context, complaints };
}
