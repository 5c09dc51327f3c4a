import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { birthOf } from './process.js';

/** A new name that identifies the process of a folder: `<prefix>-<pid>-<birth of the process>-<random>`. */
export async function ownedName(prefix: string): Promise<string> {
  const birth = await birthOf(process.pid);
  if (!birth) throw new Error('The table of processes cannot be read (/proc on Linux, ps elsewhere).');
  return `${prefix}-${process.pid}-${birth}-${randomBytes(4).toString('hex')}`;
}

/** Deletes this user's folders with the prefix whose processes have ended, after calling `before` for each. */
export async function sweepAbandoned(
  parent: string,
  prefix: string,
  before: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(`${prefix}-`))) {
    const folder = path.join(parent, name);
    const found = await lstat(folder).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== process.geteuid?.()) continue;
    if (await isOwned(name.slice(prefix.length + 1))) continue;
    await before(folder);
    await removeFolder(folder);
  }
}

/** Deletes a folder in which a dying process may still be writing. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

async function isOwned(marks: string): Promise<boolean> {
  const [, pid, birth] = /^(\d+)-(\d+)-[0-9a-f]+$/.exec(marks) ?? [];
  // A folder with a name of another form is never deleted.
  return !pid || (await birthOf(Number(pid))) === birth;
}
