import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Repeated } from '../lib/poller.js';
import { type BlobStore, BLOBS } from './stores/blob-store.js';
import {
  type BlobKey,
  doomBlobs,
  doomUnnamed,
  forgetBlobs,
  namedBlobs,
} from '../task-store/blobs.repository.js';

/** Sweeps the blob store from time to time; any number of processes may do so side by side. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated: Repeated;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOBS) private readonly store: BlobStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const pauseMs = Math.min(Math.max(config.blobGraceMs / 4, 1000), mostPauseMs);
    this.repeated = new Repeated(pauseMs, () => this.run());
  }

  onApplicationBootstrap(): void {
    this.repeated.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
  }

  private async run(): Promise<void> {
    try {
      const swept = await sweepBlobs(this.dataSource.manager, this.store, this.config.blobGraceMs);
      if (swept > 0) this.logger.info({ swept }, 'blobs that no task names were removed');
    } catch (error) {
      this.logger.warn({ err: error }, 'the blobs could not be swept');
    }
  }
}

const mostPauseMs = 600_000;

/**
 * Removes blobs that no task has named for as long as the grace time; says how many. A blob is doomed first, so that
 * nobody names it any more, and its row goes last: whatever is interrupted, the next sweep finds what is left.
 */
export async function sweepBlobs(db: EntityManager, store: BlobStore, graceMs: number): Promise<number> {
  let swept = 0;
  for (;;) {
    const doomed = await doomUnnamed(db, graceMs, mostAtOnce);
    await remove(db, store, doomed);
    swept += doomed.length;
    if (doomed.length < mostAtOnce) return swept;
  }
}

/** Removes these blobs at once, but for those that a task names. */
export async function dropBlobs(
  db: EntityManager,
  store: BlobStore,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const doomed = await doomBlobs(db, workspaceId, ids);
  const named = await namedBlobs(db, workspaceId, ids);
  // The row of one that took longer than the grace time is gone already.
  for (const id of ids) if (!named.has(id)) await store.remove(id);
  await remove(db, store, doomed);
}

const mostAtOnce = 100;

async function remove(db: EntityManager, store: BlobStore, doomed: readonly BlobKey[]): Promise<void> {
  for (const { id } of doomed) await store.remove(id);
  await forgetBlobs(db, doomed);
}
