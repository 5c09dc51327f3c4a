import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of our package.json: the code runs from src (in tests) and from dist/src. */
export function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
