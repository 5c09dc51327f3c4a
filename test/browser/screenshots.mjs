/** `npm run screenshots`: the pictures of README, of the demo as it is at its first start. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { executable } from './find-chromium.mjs';

if (executable === undefined)
  throw new Error('There is no Chromium: install it, or name it by CHROMIUM_PATH.');

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/pictures');
const service = spawn(process.execPath, [join(root, 'dist/main.js')], {
  env: { PATH: process.env['PATH'], WTS_EPHEMERAL: '1', PORT: '0', WTS_LOG_LEVEL: 'silent' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const link = await linkOf(service);
  const browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
  try {
    await photograph(browser, link);
  } finally {
    await browser.close();
  }
} finally {
  service.kill();
  await once(service, 'exit');
}

async function linkOf({ stdout }) {
  let out = '';
  for await (const chunk of stdout) {
    out += chunk;
    const [link] = /http:\S+\/sign-in\/\S+/.exec(out) ?? [];
    if (link) return link;
  }
  throw new Error(`the service ended: ${out}`);
}

async function photograph(browser, link) {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({
    viewport,
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  // Without an answer, no change of the demo refreshes a page while its picture is taken.
  await context.route(
    (url) => url.pathname === '/live',
    () => undefined,
  );
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  const board = new URL('/workflows/vendors', link).href;
  await page.goto(board);
  await save(page, 'board');
  await page.getByRole('link', { name: 'Blue Ridge Analytics' }).click();
  await page.getByRole('heading', { level: 1, name: 'Blue Ridge Analytics' }).waitFor();
  await save(page, 'task');
}

/** As WebP, which Playwright itself does not write. */
async function save(page, name) {
  // Nothing is pointed at.
  await page.mouse.move(0, 0);
  await page.waitForLoadState('load');
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 88 });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}
