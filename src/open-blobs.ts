import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore } from './attachments/stores/blob-store.js';
import { openFolderStore } from './attachments/stores/folder-store.js';
import { openBlobStore } from './attachments/stores/open-blob-store.js';
import { type Config } from './config.js';
import { ownedName, removeFolder, sweepAbandoned } from './embedded/owned-folder.js';

/** Opens the store of blobs: one that is thrown away with a throw-away database, unless the configuration names one. */
export async function openBlobs(config: Config): Promise<BlobStore> {
  if (!config.ephemeral || config.blobStore !== undefined) return openBlobStore(config);
  await sweepAbandoned(tmpdir(), prefix);
  const folder = join(tmpdir(), await ownedName(prefix));
  const store = await openFolderStore(folder);
  return { ...store, close: () => removeFolder(folder) };
}

// Containers may share a temporary folder, and do not see each other's processes.
const prefix = `wts-blobs-${hostname()}`;
