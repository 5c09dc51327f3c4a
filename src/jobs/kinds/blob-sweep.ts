import { type BlobStore, BLOBS } from '../../task-store/blob-store.js';
import { sweepBlobs } from '../../attachments/sweep-blobs.js';
import { type Sweep } from '../../ops/job-kind.js';

const MAX_PAUSE_MS = 600_000;

/** Sweeps the blob store from time to time; several processes may do so at once. */
export const blobSweep: Sweep = {
  name: 'blob-sweep',
  pauseMs: ({ blobGraceMs }) => Math.min(Math.max(blobGraceMs / 4, 1000), MAX_PAUSE_MS),
  isEverywhere: true,
  async sweep(parts) {
    const { db, config, logger } = parts;
    const swept = await sweepBlobs(db, parts.provider<BlobStore>(BLOBS), config.blobGraceMs);
    if (swept > 0) logger.info({ swept }, 'unused blobs were removed');
  },
};
