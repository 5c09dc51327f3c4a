import { join, resolve } from 'node:path';
import { type Config } from '../../config.js';
import { type BlobStore, UnreadableBytes } from '../../tasks/files/blob-store.js';
import { openFolderStore } from './folder-store.js';
import { type Readable } from 'node:stream';
import { type OnApplicationShutdown } from '@nestjs/common';
import { Dependency } from '../../common/dependency.js';
import { type Logger } from '../../common/logger.js';
import { randomText } from '../../common/random-id.js';

type Shown = Pick<Config, 'blobStore' | 'dataDir' | 's3Endpoint' | 'ephemeral'>;
type StoreSettings = Pick<Config, 'blobStore' | 'dataDir' | 's3Endpoint' | 's3Region'>;

/** Returns where attachments are stored, in words for operators. */
export function shownBlobStore({ blobStore, dataDir, s3Endpoint, ephemeral }: Shown): string {
  if (blobStore === undefined && ephemeral) return 'a throw-away folder';
  const place = blobStore ?? join(dataDir, 'blobs');
  if (!place.startsWith('s3://')) return resolve(place);
  return s3Endpoint === undefined ? place : `${place} at ${new URL(s3Endpoint).host}`;
}

export async function openBlobStore(config: StoreSettings): Promise<BlobStore> {
  const place = config.blobStore ?? join(config.dataDir, 'blobs');
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(place) ?? [];
  if (bucket === undefined) return openFolderStore(place);
  // Loads the S3 SDK on demand, because loading the SDK takes longer than the rest of the start.
  const { openS3Store } = await import('./s3-store.js');
  return openS3Store({ bucket, prefix, endpoint: config.s3Endpoint, region: config.s3Region });
}

/**
 * Logs each failure of a store, and also when the store becomes unavailable or available again. When the
 * service stops, the checks of the store stop, too.
 */
export function watchStore(store: BlobStore, logger: Logger): BlobStore & OnApplicationShutdown {
  const dependency = new Dependency('the store of attachments', () => tryOut(store), logger);
  const watched = <T>(work: Promise<T>, message: string, blob: string): Promise<T> =>
    work.catch((error: unknown) => {
      if (!(error instanceof UnreadableBytes)) void dependency.logFailure(error, message, { blob });
      throw error;
    });
  return {
    write: (id, bytes) => watched(store.write(id, bytes), 'a blob could not be stored', id),
    read: (id, range): Promise<Readable | undefined> =>
      watched(store.read(id, range), 'a blob could not be read', id),
    remove: (id) => watched(store.remove(id), 'a blob could not be removed', id),
    close: () => store.close(),
    onApplicationShutdown: () => dependency.close(),
  };
}

/** Writes and deletes one byte, because the service needs permission for both. */
async function tryOut(store: BlobStore): Promise<void> {
  const id = randomText(20);
  // A failed write may leave the file behind, for example if flushing the folder failed.
  await store.write(id, one()).finally(() => store.remove(id));
}

async function* one(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('.'));
}
