import { readFileSync, existsSync } from 'node:fs';
import { join, dirname } from 'node:path';

/** The nearest folder with a package.json: the code runs from src in tests, and otherwise from dist/src. */
export function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

const { version } = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as {
  version: string;
};

/** The version in package.json when the process started. */
export const serviceVersion = version;
