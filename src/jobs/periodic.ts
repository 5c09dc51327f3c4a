import { sweepBlobs } from '../attachments/sweep-blobs.js';
import { dropSome } from '../database/leftovers.js';
import { sweepEvents } from '../events/sweep-events.js';
import { oldExecutions } from '../executions/executions.repository.js';
import { oldRuns } from '../executions/runs/runs.repository.js';
import { oldSetAside } from '../followers/followers.repository.js';
import { doEach } from '../lib/each.js';
import { oldMessages } from '../messages/messages.repository.js';
import { oldNotifications } from '../notifications/inbox.repository.js';
import { type PeriodicSweep } from '../ops/job-kind.js';
import { oldHooks } from '../rules/hooks/received-hooks.repository.js';
import { BLOBS, type BlobStore } from '../task-store/blob-store.js';
import { oldDeliveries } from '../webhooks/deliveries.repository.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** All periodic work. */
export const periodicSweeps: readonly PeriodicSweep[] = [
  {
    name: 'expired-rows',
    everyMs: () => MINUTE,
    async sweep({ db }) {
      const old = [
        oldDeliveries,
        oldExecutions,
        oldMessages,
        oldRuns,
        oldHooks,
        oldNotifications,
        oldSetAside,
      ];
      await doEach(old, async (leftovers) => {
        while ((await dropSome(db, leftovers)) > 0);
      });
    },
  },
  {
    name: 'unused-blobs',
    everyMs: ({ blobGraceMs }) => Math.min(Math.max(blobGraceMs / 4, SECOND), 10 * MINUTE),
    async sweep(parts) {
      const { db, config, logger } = parts;
      const swept = await sweepBlobs(db, parts.provider<BlobStore>(BLOBS), config.blobGraceMs);
      if (swept > 0) logger.info({ swept }, 'unused blobs were removed');
    },
  },
  { name: 'expired-events', everyMs: () => 5 * MINUTE, sweep: sweepEvents },
];
