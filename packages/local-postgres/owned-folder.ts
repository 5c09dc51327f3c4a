import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from './process.js';

/** A new name for a folder of this process: `<prefix>-<pid>-<random>`. */
export function ownedName(prefix: string): string {
  return `${prefix}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Deletes each folder that an ended process of this user has left. First calls `before` with the folder. */
export async function sweepAbandoned(
  parent: string,
  prefix: string,
  before: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    // If `ownedName` did not make the name, `pid` is undefined, and the loop skips the folder.
    const [, pid] = name.startsWith(`${prefix}-`) ? (/^(\d+)-[\da-f]{8}$/.exec(name.slice(prefix.length + 1)) ?? []) : []; // prettier-ignore
    if (pid === undefined || (await isAlive(Number(pid)))) continue;
    const folder = path.join(parent, name);
    const found = await lstat(folder).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== process.geteuid?.()) continue;
    await before(folder);
    await removeFolder(folder);
  }
}

/** Deletes a folder into which a dying process may still be writing. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
