import { existsSync } from 'node:fs';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The Chromium of this machine, or the one that CHROMIUM_PATH names; undefined where there is none. */
export const executable = [process.env['CHROMIUM_PATH'] ?? '', ...places].find((path) => existsSync(path));
