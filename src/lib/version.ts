import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './project-folder.js';

/** The version of the service, as package.json has it. */
export function serviceVersion(): string {
  const { version } = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
