import { type Readable } from 'node:stream';
import { type OnApplicationShutdown } from '@nestjs/common';
import { Dependency } from '../../common/dependency.js';
import { type Logger } from '../../common/logger.js';
import { randomText } from '../../common/random-id.js';
import { type BlobStore, UnreadableBytes } from '../../tasks/files/blob-store.js';

/**
 * A store that logs its failures: once when it goes down and once when it is back, or each failure by itself. It stops
 * trying when the service stops.
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

/** Writes and deletes a few bytes, because a store needs permission for both. */
async function tryOut(store: BlobStore): Promise<void> {
  const id = randomText(20);
  // A write that fails late, as when its folder cannot be flushed, leaves the file too.
  await store.write(id, one()).finally(() => store.remove(id));
}

async function* one(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('.'));
}
