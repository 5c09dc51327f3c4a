import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './project-folder.js';

const { version } = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as {
  version: string;
};

/** The version of the service, as package.json had it when the process began. */
export const serviceVersion = version;
