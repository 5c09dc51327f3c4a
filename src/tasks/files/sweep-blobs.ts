import { type EntityManager } from 'typeorm';
import { type PeriodicSweep } from '../../common/ops/job-kind.js';
import { BLOBS, type BlobStore } from './blob-store.js';
import { type BlobKey, markBlobs, markUnnamed, forgetBlobs } from './blobs.repository.js';

export const blobSweep: PeriodicSweep = {
  name: 'unused-blobs',
  everyMs: ({ blobGraceMs }) => Math.min(Math.max(blobGraceMs / 4, SECOND), 10 * MINUTE),
  async sweep(parts) {
    const { db, config, logger } = parts;
    const swept = await sweepBlobs(db, parts.provider<BlobStore>(BLOBS), config.blobGraceMs);
    if (swept > 0) logger.info({ swept }, 'unused blobs were removed');
  },
};

/**
 * Deletes unused blobs; returns their number. Marks each blob first, so that no task can refer to it again.
 * Deletes the blob's row last, so that the next sweep completes an interrupted sweep.
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

/** Deletes these blobs without a grace time, except those to which a task refers. */
export async function dropBlobs(
  db: EntityManager,
  store: BlobStore,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const staying = await markBlobs(db, workspaceId, ids);
  // An id can have bytes without a row, because the sweep may have deleted the row during a slow upload.
  const going = ids.filter((id) => !staying.has(id));
  await remove(db, store, going.map((id) => ({ workspaceId, id }))); // prettier-ignore
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MAX_BATCH = 100;

async function remove(db: EntityManager, store: BlobStore, marked: readonly BlobKey[]): Promise<void> {
  for (const { id } of marked) await store.remove(id);
  await forgetBlobs(db, marked);
}
