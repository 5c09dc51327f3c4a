import { access, constants, open, rename, rm, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable } from 'node:stream';
import { type BlobStore, blobName } from '../../tasks/files/blob-store.js';
import { hostname, tmpdir } from 'node:os';
import { ownedName, removeFolder, sweepAbandoned } from '../../../packages/local-postgres/owned-folder.js';

/** Stores blobs as files in a folder; creates the folder. */
export async function openFolderStore(root: string): Promise<BlobStore> {
  await prepare(root).catch((error: unknown) => {
    const reason = String(Reflect.get(Object(error), 'code'));
    throw new Error(`Attachments cannot be kept in ${root} (${reason}): name a folder with WTS_BLOB_STORE.`, {
      cause: error,
    });
  });
  return {
    write: (id, bytes) => write(root, blobName(id), bytes),
    read: (id, range) => read(pathOf(root, blobName(id)), range),
    remove: (id) => remove(root, blobName(id)),
    close: () => Promise.resolve(),
  };
}

async function prepare(root: string): Promise<void> {
  for (const folder of [root, join(root, unfinished)]) await makeFolder(folder);
  for (const folder of [root, join(root, unfinished)])
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Creates a folder and its parents. `recursive` is only for the parents, as it may loop forever in /proc. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error;
  });
}

const unfinished = 'unfinished';

/** Returns the path at which a blob is written until all its bytes have arrived. */
const draftOf = (root: string, name: string): string => join(root, unfinished, name);

/** Spreads files over 4,096 folders, so that no folder gets too large. */
function pathOf(root: string, name: string): string {
  return join(root, name.charAt(0), name.charAt(1), name);
}

async function write(root: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const path = pathOf(root, name);
  const draft = draftOf(root, name);
  try {
    await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true });
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(draft, path);
    for (const folder of ['.', '..', '../..']) await syncFolder(join(dirname(path), folder));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Flushes a folder, so that a new name in it survives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function read(path: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
  try {
    const handle = await open(path);
    return handle.createReadStream(range);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes the bytes of a blob, and the draft that a killed process may have left. */
async function remove(root: string, name: string): Promise<void> {
  for (const path of [pathOf(root, name), draftOf(root, name)]) await rm(path, { force: true });
}

function isMissing(error: unknown): boolean {
  return Reflect.get(Object(error), 'code') === 'ENOENT';
}

/** A folder for attachments and mails; `close` deletes the folder if it is a throw-away one. */
export interface DataFolder {
  readonly path: string;
  close(): Promise<void>;
}

/** Creates a throw-away folder, and deletes those of killed processes. */
export async function openThrowAwayFolder(): Promise<DataFolder> {
  await sweepAbandoned(tmpdir(), prefix);
  const path = join(tmpdir(), ownedName(prefix));
  await mkdir(path, { mode: 0o700 });
  return { path, close: () => removeFolder(path) };
}

// The prefix contains the host name, because containers may share /tmp but not their processes.
const prefix = `wts-data-${hostname()}`;
