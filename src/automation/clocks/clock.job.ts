import { DataSource } from 'typeorm';
import { fireClock } from './fire-clock.js';
import { type ClockKey, dueClocks, noteFailedClocks, putOffClock } from './clocks.repository.js';
import { executionJob } from '../../executions/executions.repository.js';
import { isPassing } from '../../common/database-error.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type JobKind } from '../../common/ops/job-kind.js';

const PLACES = 8;
const MAX_TRIES = 3;
/** How long a clock waits after MAX_TRIES failures, in seconds. */
const FAILED_S = 3600;

/** Fires the due rungs of a task's clock. Its transaction locks the task and the clock, so it needs no lease. */
export const clockKind: JobKind<ClockKey, ClockKey> = {
  name: 'clock',
  next: '(SELECT min(next_at) FROM clocks)',
  isTimed: true,
  places: PLACES,
  shares: { ofWorkspace: PLACES },
  keyOf: ({ workspaceId, taskId, clockId }) => `${workspaceId}/${taskId}/${clockId}`,
  due: ({ db }, limit) => dueClocks(db, limit),
  claim: (_, key) => Promise.resolve(key),
  renew: () => Promise.resolve(true),
  async run(parts, key) {
    const workspace = await parts.provider(Workspaces).inForce(key.workspaceId);
    const dataSource = parts.provider(DataSource);
    for (let tries = 1; ; tries += 1)
      try {
        const executions = await fireClock(dataSource, workspace, key);
        for (const execution of executions) parts.provider(Doorbell).ring(executionJob, execution);
        return;
      } catch (error) {
        if (isPassing(error)) throw error;
        if (tries < MAX_TRIES) continue;
        await putOffClock(dataSource.manager, key, FAILED_S);
        await noteFailedClocks(dataSource.manager, key, error);
        throw error;
      }
  },
};
