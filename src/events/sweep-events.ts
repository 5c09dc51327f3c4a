import { doEach } from '../common/each.js';
import { type PeriodicSweep, type JobParts } from '../common/ops/job-kind.js';
import { Metrics } from '../common/ops/metrics.js';
import { dropEvents, type DroppedChunks, numberEvents, workspacesOfEvents } from './events.repository.js';

/** Drops expired events. Also numbers new events, so that the next reader does not have to number many. */
export const eventSweep: PeriodicSweep = {
  name: 'expired-events',
  everyMs: () => 5 * 60_000,
  sweep: sweepEvents,
};

async function sweepEvents(parts: JobParts): Promise<void> {
  const { db } = parts;
  const { eventDays } = parts.config;
  await doEach(await workspacesOfEvents(db), async (workspaceId) => {
    await numberEvents(db, workspaceId);
    if (eventDays !== undefined) await dropOld(parts, workspaceId, eventDays);
  });
}

async function dropOld(parts: JobParts, workspaceId: number, days: number): Promise<void> {
  let last: DroppedChunks;
  do {
    last = await dropEvents(parts.db, workspaceId, days);
    if (last.unread === 0) continue;
    parts.provider(Metrics).unread.inc(last.unread);
    const what = { workspaceId, chunks: last.unread };
    parts.logger.error(what, 'events expired before all followers processed them');
  } while (last.dropped > 0);
}
