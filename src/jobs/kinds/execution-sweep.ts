import { forgetExecutions } from '../../executions/executions.repository.js';
import { type Sweep } from '../../ops/job-kind.js';

/** A quarter of a year, so that what happened can still be explained. */
const DAYS = 90;

/** Forgets executions that ended 90 days ago. */
export const executionSweep: Sweep = {
  name: 'execution-sweep',
  pauseMs: () => 1000,
  sweep: ({ db }) => forgetExecutions(db, DAYS),
};
