import { renewZones } from '../../schedules/renew-zones.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { type Sweep } from '../../ops/job-kind.js';

/** Recomputes the next firings of schedules after a start with other time zone data. */
export const zoneSweep: Sweep = {
  name: 'zone-sweep',
  pauseMs: () => 60_000,
  sweep: (parts) =>
    renewZones({
      db: parts.db,
      workspaces: parts.provider(Workspaces),
      logger: parts.logger,
      leaseMs: parts.config.leaseMs,
    }),
};
