import { mkdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { layout } from './data-folder.js';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';
import { stopPostmaster } from './postmaster.js';

/** A new private data folder (0700) in the system's temporary one; those of processes that were killed are deleted. */
export async function makeThrowAway(): Promise<string> {
  // Containers may share a temporary folder, and do not see each other's processes.
  const prefix = `wts-postgresql-${hostname()}`;
  await sweepAbandoned(tmpdir(), prefix, stop);
  const folder = path.join(tmpdir(), await ownedName(prefix));
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Stops the server of a throw-away folder and deletes the folder. */
export async function deleteThrowAway(folder: string): Promise<void> {
  await stop(folder);
  await removeFolder(folder);
}

async function stop(folder: string): Promise<void> {
  await stopPostmaster(layout(folder).data, 'SIGQUIT');
}
