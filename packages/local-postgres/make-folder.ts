import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a private folder (0700) and its parents, unless it exists. Node.js's own `recursive` never returns on a
 * file system without new folders, such as /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

function hasCode(error: unknown, code: string): boolean {
  return Reflect.get(Object(error), 'code') === code;
}
