import { dropSome } from '../../database/leftovers.js';
import { doEach } from '../../lib/each.js';
import { oldMessages } from '../../messages/messages.repository.js';
import { oldNotifications } from '../../notifications/inbox.repository.js';
import { oldRuns } from '../../executions/runs/runs.repository.js';
import { oldHooks } from '../../rules/hooks/received-hooks.repository.js';
import { oldDeliveries } from '../../webhooks/deliveries.repository.js';
import { type Sweep } from '../../ops/job-kind.js';

/** Deletes expired rows. */
export const leftoverSweep: Sweep = {
  name: 'leftover-sweep',
  pauseMs: () => 60_000,
  sweep: ({ db }) =>
    doEach([oldDeliveries, oldMessages, oldRuns, oldHooks, oldNotifications], async (leftovers) => {
      while ((await dropSome(db, leftovers)) > 0);
    }),
};
