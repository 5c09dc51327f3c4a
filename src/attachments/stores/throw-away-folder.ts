import { mkdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownedName, removeFolder, sweepAbandoned } from '../../../packages/local-postgres/owned-folder.js';

/** A folder for blobs that goes with this process. */
export interface ThrowAwayFolder {
  readonly path: string;
  close(): Promise<void>;
}

/** Makes one, and deletes those of processes that were killed. */
export async function openThrowAwayFolder(): Promise<ThrowAwayFolder> {
  await sweepAbandoned(tmpdir(), prefix);
  const path = join(tmpdir(), await ownedName(prefix));
  await mkdir(path, { mode: 0o700 });
  return { path, close: () => removeFolder(path) };
}

// Containers may share a temporary folder, and do not see each other's processes.
const prefix = `wts-blobs-${hostname()}`;
