import {
  abandon,
  type Claimed,
  dueExecutions,
  type DueExecution,
  nextExecution,
  overdueExecutions,
  executionLeases,
  postpone,
} from './claims.repository.js';
import { CompletionWaiters } from './completion-waiters.js';
import { executionJob } from './executions.repository.js';
import { logEnd } from './execution-log.js';
import { effectKindOf } from '../actions/step-types.js';
import { ExecutionRunner } from './runner.js';
import { sourceOf } from '../common/origin.js';
import { Doorbell } from '../common/ops/doorbell.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { type JobKind, type JobParts } from '../common/ops/job-kind.js';
import { gaugeOfStates, remembered, type SharedGauge } from '../common/ops/metrics.js';
import { executionStatuses } from '../common/column-values.js';
import { sql } from '../common/database/sql.js';
import { type EntityManager } from 'typeorm';

const PLACES = 32;
/** While WTS_OUTBOUND is off, an execution that calls other systems waits this many milliseconds. */
const HELD_MS = 60_000;

/** Runs the oldest Pending execution of a task. */
export const execution: JobKind<DueExecution, Claimed> = {
  name: executionJob,
  next: nextExecution,
  places: PLACES,
  // Workspaces take turns. One workspace may take all places if no other workspace has work.
  shares: { ofWorkspace: PLACES },
  keyOf: (job) => executionLeases.nameOf(job),
  async due(parts, limit) {
    // An execution past its deadline must not start.
    await endOverdue(parts);
    return dueExecutions(parts.db, limit);
  },
  async claim({ db, config }, key) {
    const claimed = await executionLeases.claim(db, key, config.leaseMs);
    if (config.isOutboundOn || !claimed?.steps.some((step) => effectKindOf(step) !== undefined))
      return claimed;
    await postpone(db, claimed, HELD_MS);
    return undefined;
  },
  renew: ({ db, config }, claimed) => executionLeases.renew(db, claimed, config.leaseMs),
  spanOf({ id, actionId, task, origin }) {
    const { trace } = sourceOf(origin);
    return {
      name: `execution ${actionId}`,
      attributes: { 'wts.execution': id, 'wts.action': actionId, 'wts.task': task?.publicId },
      parent: trace,
    };
  },
  async run(parts, claimed, place) {
    const ended = await parts.provider(ExecutionRunner).run(claimed, place);
    if (!ended) return;
    const { workspaceId, id } = claimed;
    parts.provider(CompletionWaiters).wake({ workspaceId, id }, ended);
    // Announces the task's next execution: it can start only after this execution has ended.
    if (ended.next !== null) parts.provider(Doorbell).ring(executionJob, { workspaceId, id: ended.next });
  },
};

async function endOverdue(parts: JobParts): Promise<void> {
  const { db, config, logger } = parts;
  const limits = { executionMs: config.executionMs, unclaimedMs: UNCLAIMED_MS };
  for (const overdue of await overdueExecutions(db, limits, 100)) {
    const ended = await abandon(db, overdue);
    if (ended) await logEnd(logger, parts.provider(Workspaces), ended, [overdue.reason]);
  }
}

/** An execution that has not begun a day after it was created fails, so that clients get an error. */
const UNCLAIMED_MS = 86_400_000;

export function executionGauges(db: EntityManager): SharedGauge[] {
  const help = 'Pending executions, and executions that ended in the last hour.';
  const states = { name: 'wts_executions', help, table: 'executions', column: 'status' };
  const oldest: SharedGauge = {
    name: 'wts_execution_oldest_pending_seconds',
    help: 'The age of the oldest Pending execution.',
    read: remembered(async () => {
      const [row] = await sql<{ age: number }>(db, ageOfOldest, []);
      return row?.age ?? 0;
    }),
  };
  return [gaugeOfStates(db, states, executionStatuses), oldest];
}

const ageOfOldest = {
  name: 'age-of-oldest-execution',
  scope: 'no workspace' as const,
  text: `
    SELECT COALESCE(EXTRACT(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS age
    FROM executions WHERE finished_at IS NULL`,
};
