import { DataSource } from 'typeorm';
import { executionJob } from '../../executions/executions.repository.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { startWaitingRuns } from './waiting-runs.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type Sweep } from '../../common/ops/job-kind.js';

/** Starts runs of rules that had to wait, as soon as their rules may start more. */
export const waitingRunSweep: Sweep = {
  name: 'waiting-run-sweep',
  next: `(SELECT service_now() FROM runs WHERE result = 'waiting' LIMIT 1)`,
  async sweep(parts) {
    await startWaitingRuns(parts.provider(DataSource), parts.provider(Workspaces), (execution) => {
      parts.provider(Doorbell).ring(executionJob, execution);
    });
  },
};
