import { chmod, cp, lstat, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';

/** A copy of the package that every account can read and only we can write, made once per version. */
export async function reachableCopy(folder: string, version: string, place: string): Promise<string> {
  const copy = path.join(place, `wts-postgresql-${version}-${process.geteuid?.() ?? 0}`);
  if (await isOurs(copy)) return copy;
  await sweepAbandoned(place, `${copyName(copy)}.new`);
  const unfinished = path.join(place, await ownedName(`${copyName(copy)}.new`));
  await mkdir(unfinished, { mode: 0o755 });
  try {
    await cp(path.join(folder, 'native'), path.join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !file.endsWith('.a'),
    });
    await openToAll(unfinished);
    await rename(unfinished, copy);
  } catch (error) {
    await removeFolder(unfinished);
    if (!(await isOurs(copy))) throw error;
  }
  return copy;
}

function copyName(copy: string): string {
  return path.basename(copy);
}

async function isOurs(copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (!found) return false;
  if (found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0) return true;
  throw new Error(`${copy} was not made by this user, so its programs are not trusted.`);
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const { mode } = await lstat(path.join(entry.parentPath, entry.name));
    if (entry.isDirectory() || entry.isFile()) {
      await chmod(
        path.join(entry.parentPath, entry.name),
        entry.isDirectory() || mode & 0o100 ? 0o755 : 0o644,
      );
    }
  }
}
