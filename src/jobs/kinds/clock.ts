import { DataSource } from 'typeorm';
import { clockJob, dueClocks, type DueClock, fireClock } from '../../clocks/fire-clock.js';
import { putOffClock } from '../../clocks/clocks.repository.js';
import { executionJob } from '../../executions/executions.repository.js';
import { isPassing } from '../../lib/database-error.js';
import { Doorbell } from '../../ops/doorbell.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { type JobKind } from '../job-kind.js';

const PLACES = 8;

/** Carries out what a task's clock does. Its transaction locks the task and the clock, so it needs no lease. */
export const clockKind: JobKind<DueClock, DueClock> = {
  name: clockJob,
  pauseMs: 150,
  places: PLACES,
  shares: { ofWorkspace: PLACES },
  staysInQueue: false,
  isLeaseStrict: false,
  keyOf: ({ workspaceId, taskId, clockId }) => `${workspaceId}/${taskId}/${clockId}`,
  due: ({ db }, { limit }) => dueClocks(db, limit),
  claim: (_, key) => Promise.resolve(key),
  renew: () => Promise.resolve(true),
  async run(parts, key) {
    const workspace = await parts.provider(Workspaces).inForce(key.workspaceId);
    const dataSource = parts.provider(DataSource);
    try {
      const executions = await fireClock(dataSource, workspace, key, parts.config.lateLimitMs);
      for (const execution of executions) parts.provider(Doorbell).ring(executionJob, execution);
    } catch (error) {
      // Otherwise a few failing clocks would be found first every time and hide all others.
      if (!isPassing(error)) await putOffClock(dataSource.manager, key, key.clockId);
      throw error;
    }
    return [];
  },
};
