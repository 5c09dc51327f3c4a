import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { executable } from './find-chromium.mjs';
import { later } from '../support/served.js';
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

/** A Chromium for the tests of the `describe` in which it is called. */
export function launched(): Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return later(() => browser);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page in the light, and with its colours in the dark. It is brought in past the page's policy, which forbids it. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string): Promise<unknown> =>
    (await session.send('Runtime.evaluate', { expression, awaitPromise: true })).result.value;
  if ((await evaluate('typeof axe')) === 'undefined') await evaluate(`${axe};0`);
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ['dark', "runOnly: ['color-contrast'],"],
    ['light', ''],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const lines = `axe.run({ ${rules} preload: false, resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200)))))`;
    found.push(
      ...(JSON.parse(String(await evaluate(lines))) as string[]).map((line) => `${colorScheme} ${line}`),
    );
  }
  await session.detach();
  return found;
}

/** What does not fit a page into its window: a text broken into lines of fewer than 12 characters, or a page that scrolls sideways, or though all of it is in sight. */
export async function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = new Map<Element, Map<number, number>>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      const length = text.textContent?.trim().length ?? 0;
      let box = text.parentElement;
      if (length === 0 || box?.checkVisibility() !== true) continue;
      while (box.parentElement && /^(inline|contents)$/.test(getComputedStyle(box).display))
        box = box.parentElement;
      range.selectNodeContents(text);
      const rects = [...range.getClientRects()].filter(({ width }) => width > 1);
      const total = rects.reduce((sum, { width }) => sum + width, 0);
      const lines = boxes.get(box) ?? new Map<number, number>();
      // Characters of a line are counted by its share of the width of the text.
      for (const { bottom, width } of rects) {
        const line = [...lines.keys()].find((one) => Math.abs(one - bottom) < 8) ?? bottom;
        lines.set(line, (lines.get(line) ?? 0) + (length * width) / total);
      }
      boxes.set(box, lines);
    }
    const narrow = [...boxes].filter(([box, lines]) => {
      const isKept = getComputedStyle(box).whiteSpaceCollapse === 'preserve';
      const kept = isKept ? (box.textContent.match(/\n/g) ?? []) : [];
      const breaks = box.querySelectorAll('br').length + kept.length;
      return lines.size > 1 + breaks && Math.max(...lines.values()) < 12;
    });
    const faults = narrow.map(([box, lines]) => `${lines.size} lines: ${box.outerHTML.slice(0, 160)}`);
    const { scrollWidth, scrollHeight } = document.documentElement;
    const ends = [...document.querySelectorAll('main *')].flatMap((element) => {
      const { bottom, width } = element.getBoundingClientRect();
      return element.childElementCount === 0 && width > 1 && element.checkVisibility()
        ? bottom + scrollY
        : [];
    });
    // What is empty below the last of them is the margin of the page.
    const isShort = Math.max(...ends) + 100 < innerHeight;
    if (scrollWidth > innerWidth) faults.push('scrolls sideways');
    for (const { scrollWidth, clientWidth, ariaLabel } of document.querySelectorAll('.stacked'))
      if (scrollWidth > clientWidth && innerWidth < 600) faults.push(`scrolls sideways: ${ariaLabel}`);
    if (scrollHeight > innerHeight && isShort) faults.push('scrolls, though all of it is in sight');
    return faults;
  });
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
  const sent = page.waitForResponse(/\/files\//);
  await choose();
  await sent;
  await page.waitForFunction(() => document.querySelector('html[aria-busy]') === null);
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
