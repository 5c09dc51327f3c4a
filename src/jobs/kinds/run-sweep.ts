import { forgetRuns } from '../../executions/runs/runs.repository.js';
import { type Sweep } from '../job-kind.js';

/** Drops runs of 90 days ago. */
export const runSweep: Sweep = {
  name: 'run-sweep',
  pauseMs: () => 60_000,
  async sweep({ db }) {
    while ((await forgetRuns(db)) > 0);
  },
};
