import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { BackgroundWork } from '../jobs/background-work.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Health } from '../ops/health.js';
import { type BlobStore, BLOBS } from './stores/blob-store.js';
import {
  type BlobKey,
  markBlobs,
  markUnnamed,
  forgetBlobs,
  namedBlobs,
} from '../task-store/blobs.repository.js';

/** Sweeps the blob store from time to time; any number of processes may do so side by side. */
@Injectable()
export class BlobSweeper extends BackgroundWork {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOBS) private readonly store: BlobStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    health: Health,
  ) {
    const pauseMs = Math.min(Math.max(config.blobGraceMs / 4, 1000), MAX_PAUSE_MS);
    super(health, { pauseMs, failure: 'the blobs could not be swept' });
  }

  protected async work(): Promise<void> {
    const swept = await sweepBlobs(this.dataSource.manager, this.store, this.config.blobGraceMs);
    if (swept > 0) this.logger.info({ swept }, 'blobs that no task names were removed');
  }
}

const MAX_PAUSE_MS = 600_000;

/**
 * Removes blobs that no task has named for as long as the grace time; says how many. A blob is marked first, so that
 * no task can name it any more, and its row goes last: whatever is interrupted, the next sweep finds what is left.
 */
export async function sweepBlobs(db: EntityManager, store: BlobStore, graceMs: number): Promise<number> {
  let swept = 0;
  for (;;) {
    const marked = await markUnnamed(db, graceMs, MAX_BATCH);
    await remove(db, store, marked);
    swept += marked.length;
    if (marked.length < MAX_BATCH) return swept;
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
  const marked = await markBlobs(db, workspaceId, ids);
  const named = await namedBlobs(db, workspaceId, ids);
  // The row of an upload that took longer than the grace time has been deleted already.
  for (const id of ids) if (!named.has(id)) await store.remove(id);
  await remove(db, store, marked);
}

const MAX_BATCH = 100;

async function remove(db: EntityManager, store: BlobStore, marked: readonly BlobKey[]): Promise<void> {
  for (const { id } of marked) await store.remove(id);
  await forgetBlobs(db, marked);
}
