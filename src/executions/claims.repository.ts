import { type EntityManager } from 'typeorm';
import { type Given } from '../actions/given.js';
import { type EffectAnswer } from '../actions/effect.js';
import { notBegun, type StepOutcome } from '../actions/step.js';
import { isUnleased, leaseOf, Leases } from '../common/database/leases.js';
import { sql } from '../common/database/sql.js';
import { type ExecutionEntity } from './execution.entity.js';
import { taskColumns, type TaskRow, noPrecondition } from '../tasks/store/task-row.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type EndedExecution } from './execution-log.js';
import { type BegunExecution, endedColumns, type ExecutionKey, isOpen } from './executions.repository.js';
import { givenUp } from './run-steps.js';
import { keptText, type Message } from '../common/message.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { updateTogether } from '../tasks/store/task.sql.js';
import { updateTaskTogether } from '../tasks/store/upsert-task.js';
import { type Scope } from '../workflows/model/scope.js';

/** A claimed execution. Its owner may write the row until the lease ends, and must check the fence. */
export interface Claimed
  extends
    ExecutionKey,
    BegunExecution,
    Readonly<Pick<ExecutionEntity, 'fence' | 'taskId' | 'origin' | 'definition'>> {
  /** When the execution began, in the time of the service. */
  readonly startedAt: Date;
  /** Milliseconds since the execution began. */
  readonly ageMs: number;
  readonly steps: readonly StepDefinition[];
  readonly answers: Readonly<Record<string, EffectAnswer>>;
  readonly given: Given | null;
  /** The task at the time of the claim, without its links; null if the task was deleted. */
  readonly task: Omit<TaskRow, 'id'> | null;
}

/** Ends the lease of a claimed execution, so that any process can claim it at once. */
export async function release(db: EntityManager, claimed: Claimed): Promise<void> {
  await sql(db, releaseRow, executionLeases.claimOf(claimed));
}

/** Makes the execution claimable after a delay. An execution without recorded answers counts as not begun. */
export async function postpone(db: EntityManager, claimed: Claimed, ms: number): Promise<void> {
  await sql(db, postponeRow, [...executionLeases.claimOf(claimed), ms]);
}

/** Records the answer to a call. An answer counts as progress. False if another process has the execution. */
export async function recordAnswer(
  db: EntityManager,
  claimed: Claimed,
  step: number,
  answer: EffectAnswer,
): Promise<boolean> {
  const values = [...executionLeases.claimOf(claimed), JSON.stringify({ [step]: answer })];
  return (await sql(db, recordRow, values)).length > 0;
}

export interface Ended {
  /** The id of the next execution of the same task; null if there is none. */
  readonly next: string | null;
  /** The reasons for a failure: messages as `keptText` writes them. */
  readonly errors: string[] | null;
}

/** Ends a claimed execution. Returns undefined and writes nothing if another process has the execution. */
export async function finish(
  db: EntityManager,
  claimed: Claimed,
  errors: readonly Message[] | null,
  outcomes: readonly StepOutcome[],
): Promise<Ended | undefined> {
  const kept = errors?.map(keptText) ?? null;
  const values = [...executionLeases.claimOf(claimed), kept, JSON.stringify(outcomes)];
  const [ended] = await sql<Pick<Ended, 'next'>>(db, finishRow, values);
  return ended && { ...ended, errors: kept };
}

/** An execution fails after this number of claims without progress. */
const MAX_CLAIMS = 5;

/** Claims of executions. A process can claim only the oldest Pending execution of a task. */
export const executionLeases: Leases<ExecutionKey, Omit<Claimed, keyof ExecutionKey | 'fence'>> = new Leases({
  table: 'executions',
  key: ['workspaceId', 'id'],
  isOpen,
  claim: `
    UPDATE executions e SET fence = e.fence + 1, claims = e.claims + 1, lease_until = ${leaseOf(3)},
      started_at = COALESCE(e.started_at, clock_timestamp())
    WHERE e.workspace_id = $1 AND e.id = (
        SELECT e.id FROM executions e
        WHERE e.workspace_id = $1 AND e.id = $2 AND e.${isOpen} AND e.claims < ${MAX_CLAIMS}
          AND (e.lease_until IS NULL OR e.lease_until < clock_timestamp())
        FOR UPDATE SKIP LOCKED
      )
      AND NOT EXISTS (
        SELECT FROM executions o
        WHERE o.workspace_id = e.workspace_id AND o.workflow_id = e.workflow_id AND o.task_id = e.task_id
          AND o.status = 'Pending' AND o.id <> e.id
          AND (o.place < e.place OR o.lease_until > clock_timestamp())
      )
    RETURNING e.fence, service_now(e.started_at) AS "startedAt",
      (extract(epoch FROM clock_timestamp() - e.started_at) * 1000)::float8 AS "ageMs", e.workflow_id AS "workflowId", e.task_id AS "taskId",
      e.action_id AS "actionId", e.action_name AS "actionName", e.performer_id AS "performerId", e.origin, e.definition, e.steps, e.answers, e.given,
      (SELECT row_to_json(t) FROM (SELECT ${taskColumns} FROM tasks t
        WHERE t.workspace_id = e.workspace_id AND t.workflow_id = e.workflow_id AND t.id = e.task_id) t) AS task`,
});

const mine = executionLeases.isClaimed;

const releaseRow = {
  name: 'release-execution',
  text: `UPDATE executions SET lease_until = clock_timestamp(), claims = claims - 1 WHERE ${mine}`,
};

const postponeRow = {
  name: 'postpone-execution',
  text: `
    UPDATE executions SET lease_until = ${leaseOf(4)}, claims = claims - 1,
      started_at = CASE WHEN answers = '{}' THEN NULL ELSE started_at END
    WHERE ${mine}`,
};

const recordRow = {
  name: 'record-answer',
  text: `UPDATE executions SET answers = answers || $4::jsonb, claims = 1 WHERE ${mine} RETURNING id`,
};

/** SQL: for a row of `executions`, the id of the next Pending execution of the same task. */
export const next = `(
    SELECT o.id FROM executions o
    WHERE o.workspace_id = executions.workspace_id AND o.workflow_id = executions.workflow_id
      AND o.task_id = executions.task_id AND o.status = 'Pending' AND o.id <> executions.id
    ORDER BY o.place LIMIT 1
  ) AS next`;

const finishRow = {
  name: 'finish-execution',
  text: `
    UPDATE executions SET status = CASE WHEN $4::text[] IS NULL THEN 'Success' ELSE 'Fail' END, errors = $4, outcomes = $5,
      finished_at = clock_timestamp(), lease_until = NULL
    WHERE ${mine} RETURNING ${next}`,
};

export interface DueExecution extends ExecutionKey {
  readonly taskId: string;
}

/** The oldest Pending execution of each task, unless a process has claimed it. Ordered from old to new. */
export async function dueExecutions(db: EntityManager, limit: number): Promise<DueExecution[]> {
  return sql<DueExecution>(db, due, [limit]);
}

/** SQL: when the next Pending execution is due. Reads the oldest 1,000: more than all processes can claim. */
export const nextExecution = `(
  SELECT service_now(min(COALESCE(lease_until, created_at))) FROM (
    SELECT lease_until, created_at FROM executions WHERE finished_at IS NULL ORDER BY place LIMIT 1000
  ) e)`;

export interface Overdue extends ExecutionKey, Pick<Claimed, 'steps' | 'answers'> {
  readonly reason: string;
  /** Whether a process has begun the execution. */
  readonly isBegun: boolean;
}

/** Unleased executions that took too long, made no progress in several claims, or did not begin in time. */
export async function overdueExecutions(
  db: EntityManager,
  { executionMs, unclaimedMs }: { readonly executionMs: number; readonly unclaimedMs: number },
  limit: number,
): Promise<Overdue[]> {
  return sql<Overdue>(db, overdue, [executionMs, unclaimedMs, MAX_CLAIMS, limit]);
}

// This form lets PostgreSQL use the index of Pending executions by place.
const free = `e.finished_at IS NULL AND COALESCE(e.lease_until, e.created_at) < clock_timestamp()`;

const due = {
  name: 'due-executions',
  scope: 'all workspaces' as const,
  text: `
    SELECT e.workspace_id AS "workspaceId", e.id, e.task_id AS "taskId" FROM executions e
    WHERE ${free} AND NOT EXISTS (
        SELECT FROM executions o
        WHERE o.workspace_id = e.workspace_id AND o.workflow_id = e.workflow_id AND o.task_id = e.task_id
          AND o.status = 'Pending' AND o.place < e.place
      )
    ORDER BY e.place LIMIT $1`,
};

const overdue = {
  name: 'overdue-executions',
  scope: 'all workspaces' as const,
  text: `
    SELECT * FROM (
      SELECT e.workspace_id AS "workspaceId", e.id, CASE
        WHEN e.claims >= $3 THEN 'was given up after several attempts'
        WHEN e.started_at < clock_timestamp() - make_interval(secs => $1::numeric / 1000) THEN 'took too long'
        WHEN e.started_at IS NULL AND e.created_at < clock_timestamp() - make_interval(secs => $2::numeric / 1000)
          THEN 'was not begun in time'
      END AS reason, e.started_at IS NOT NULL AS "isBegun", e.steps, e.answers
      FROM executions e WHERE ${free}
      ORDER BY e.place LIMIT 1000
    ) e
    WHERE reason IS NOT NULL LIMIT $4`,
};

/** Ends an execution that no process holds. Undefined if a process holds it, or if it has ended. */
export async function abandon(
  db: EntityManager,
  { workspaceId, id, reason, isBegun, steps, answers }: Overdue,
): Promise<EndedExecution | undefined> {
  const outcomes = isBegun ? givenUp(steps, answers) : notBegun(steps);
  const values = [workspaceId, id, [reason], JSON.stringify(outcomes)];
  const [ended] = await sql<EndedExecution>(db, abandonRow, values);
  return ended;
}

const abandonRow = {
  name: 'abandon-execution',
  text: `
    UPDATE executions SET status = 'Fail', errors = $3, outcomes = $4, finished_at = clock_timestamp(), lease_until = NULL
    WHERE workspace_id = $1 AND id = $2 AND ${isOpen} AND ${isUnleased}
    RETURNING ${endedColumns}`,
};

/**
 * Changes the task and ends the execution with `Success`, in one statement. Returns undefined and writes
 * nothing if the task has changed since the claim, or if another process has the execution.
 */
export async function finishWithTask(
  db: EntityManager,
  scope: Scope,
  { id, fence, taskId }: Claimed,
  { state, change }: { readonly state: string; readonly change: TaskChange },
  outcomes: readonly StepOutcome[],
): Promise<Ended | undefined> {
  const demands = { ...noPrecondition, states: [state] };
  const finishing = { statement: finishAndUpdate, values: [id, fence, JSON.stringify(outcomes)] };
  const ended = await updateTaskTogether<Pick<Ended, 'next'>>(db, scope, taskId, change, demands, finishing);
  return ended && { ...ended, errors: null };
}

const finishAndUpdate = updateTogether(
  'finish-and-update',
  `UPDATE executions SET status = 'Success', outcomes = $18::jsonb, finished_at = clock_timestamp(), lease_until = NULL
   WHERE workspace_id = $1 AND id = $16 AND fence = $17 AND ${isOpen} AND EXISTS (SELECT FROM meant)
   RETURNING ${next}`,
);
