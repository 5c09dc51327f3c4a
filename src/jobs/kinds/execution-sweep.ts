import { forgetExecutions } from '../../executions/executions.repository.js';
import { type Sweep } from '../../ops/job-kind.js';

/** Forgets executions that ended `WTS_EXECUTION_DAYS` ago. */
export const executionSweep: Sweep = {
  name: 'execution-sweep',
  pauseMs: () => 1000,
  sweep: ({ db, config }) => forgetExecutions(db, config.executionDays),
};
