import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../database/sql.js';
import { type ExecutionEntity } from '../entities/execution.entity.js';
import { type TaskRow, taskColumns } from '../task-store/task-row.js';
import { type StepAnswer, type StepOutcome } from '../actions/step.js';
import { type StepDefinition } from '../workspace/definition.js';
import { type EndedExecution } from './execution-log.js';
import { assertedAtOnce } from '../task-store/assert-definition.js';
import { type Workflow } from '../workspace/workspace.js';
import { type IdPage, pageOf } from '../task-store/linked-tasks.js';

/** Which execution. */
export type ExecutionKey = Readonly<Pick<ExecutionEntity, 'workspaceId' | 'id'>>;

/** What is begun, and by whom. */
type Begun = Readonly<Pick<ExecutionEntity, 'workflowId' | 'actionId' | 'actionName' | 'performerId'>>;

/** A claimed execution: its owner may write it until the lease ends, and only under this fence. */
export interface Claimed extends ExecutionKey, Begun, Readonly<Pick<ExecutionEntity, 'fence' | 'taskId'>> {
  /** When it was claimed first, by the database's clock. */
  readonly startedAt: Date;
  /** Milliseconds since then. */
  readonly ageMs: number;
  readonly steps: readonly StepDefinition[];
  readonly answers: Readonly<Record<string, StepAnswer>>;
  /** As it was when the execution was claimed, without its links; null when it was deleted. */
  readonly task: Omit<TaskRow, 'id'> | null;
}

/** Claims a Pending execution that has no lease and is the oldest of its task; else undefined. */
export async function claim(
  db: EntityManager,
  { workspaceId, id }: ExecutionKey,
  leaseMs: number,
): Promise<Claimed | undefined> {
  const [row] = await sql<Claimed>(db, claimRow, [workspaceId, id, leaseMs, MAX_CLAIMS]);
  return row;
}

/** Renews the lease of a claimed execution; false when somebody else has claimed it. */
export async function renew(db: EntityManager, claimed: Claimed, leaseMs: number): Promise<boolean> {
  const { workspaceId, id, fence } = claimed;
  return (await sql(db, renewRow, [workspaceId, id, fence, leaseMs])).length > 0;
}

/** Ends the lease of a claimed execution, so that anybody can claim it at once. */
export async function release(db: EntityManager, { workspaceId, id, fence }: Claimed): Promise<void> {
  await sql(db, releaseRow, [workspaceId, id, fence]);
}

/** Ends the lease, so that anybody can claim the execution after so long; without an answer of a call it counts as not begun. */
export async function postpone(
  db: EntityManager,
  { workspaceId, id, fence }: Claimed,
  ms: number,
): Promise<void> {
  await sql(db, postponeRow, [workspaceId, id, fence, ms]);
}

/** Records the answer of a step, which is progress; false when somebody else has the execution by now. */
export async function recordAnswer(
  db: EntityManager,
  { workspaceId, id, fence }: Claimed,
  step: number,
  answer: StepAnswer,
): Promise<boolean> {
  const values = [workspaceId, id, fence, JSON.stringify({ [step]: answer })];
  return (await sql(db, recordRow, values)).length > 0;
}

/** What the end of an execution leaves to be done. */
export interface Ended {
  /** The execution of the same task that waits for it. */
  readonly next: string | null;
}

/** Ends a claimed execution; undefined, and nothing is written, when somebody else has it by now. */
export async function finish(
  db: EntityManager,
  { workspaceId, id, fence }: Claimed,
  errors: readonly string[] | null,
  outcomes: readonly StepOutcome[],
): Promise<Ended | undefined> {
  const values = [workspaceId, id, fence, errors, JSON.stringify(outcomes)];
  const [ended] = await sql<Ended>(db, finishRow, values);
  return ended;
}

/** Ends an execution that was never claimed; null where it was or has ended, undefined where there is none. */
export async function cancel(
  db: EntityManager,
  { workspaceId, id }: ExecutionKey,
  workflowId: number,
): Promise<EndedExecution | null | undefined> {
  const [row] = await sql<{ ended: EndedExecution | null }>(db, cancelRow, [workspaceId, workflowId, id]);
  return row?.ended;
}

/** How often an execution is claimed without any progress before it is given up. */
export const MAX_CLAIMS = 5;

/**
 * That an execution which is looked for by its id is Pending. Worded such that PostgreSQL cannot use the index of
 * Pending executions instead of the key: its statistics say there are none, and there are thousands when it matters.
 */
export const isOpen = `status NOT IN ('Success', 'Fail')`;

const lease = `clock_timestamp() + make_interval(secs => $3::numeric / 1000)`;

const claimRow = {
  name: 'claim-execution',
  isPrompt: true,
  text: `
    UPDATE executions e SET fence = e.fence + 1, claims = e.claims + 1, lease_until = ${lease},
      started_at = COALESCE(e.started_at, clock_timestamp())
    WHERE e.workspace_id = $1 AND e.id = (
        SELECT e.id FROM executions e
        WHERE e.workspace_id = $1 AND e.id = $2 AND e.${isOpen} AND e.claims < $4
          AND (e.lease_until IS NULL OR e.lease_until < clock_timestamp())
        FOR UPDATE SKIP LOCKED
      )
      AND NOT EXISTS (
        SELECT FROM executions o
        WHERE o.workspace_id = e.workspace_id AND o.workflow_id = e.workflow_id AND o.task_id = e.task_id
          AND o.status = 'Pending' AND o.id <> e.id
          AND (o.place < e.place OR o.lease_until > clock_timestamp())
      )
    RETURNING e.workspace_id AS "workspaceId", e.id, e.fence, e.started_at AS "startedAt",
      (extract(epoch FROM clock_timestamp() - e.started_at) * 1000)::float8 AS "ageMs", e.workflow_id AS "workflowId", e.task_id AS "taskId",
      e.action_id AS "actionId", e.action_name AS "actionName", e.performer_id AS "performerId", e.steps, e.answers,
      (SELECT row_to_json(t) FROM (SELECT ${taskColumns} FROM tasks t
        WHERE t.workspace_id = e.workspace_id AND t.workflow_id = e.workflow_id AND t.id = e.task_id) t) AS task`,
};

const mine = `workspace_id = $1 AND id = $2 AND fence = $3 AND ${isOpen}`;

const renewRow = {
  name: 'renew-execution',
  text: `
    UPDATE executions SET lease_until = clock_timestamp() + make_interval(secs => $4::numeric / 1000)
    WHERE ${mine} RETURNING id`,
};

const releaseRow = {
  name: 'release-execution',
  text: `UPDATE executions SET lease_until = clock_timestamp(), claims = claims - 1 WHERE ${mine}`,
};

const postponeRow = {
  name: 'postpone-execution',
  text: `
    UPDATE executions SET lease_until = clock_timestamp() + make_interval(secs => $4::numeric / 1000), claims = claims - 1,
      started_at = CASE WHEN answers = '{}' THEN NULL ELSE started_at END
    WHERE ${mine}`,
};

const recordRow = {
  name: 'record-answer',
  text: `UPDATE executions SET answers = answers || $4::jsonb, claims = 1 WHERE ${mine} RETURNING id`,
};

/** What the end of one of the `executions` returns. */
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

/** What the end of one is told by in the log. */
export const endedColumns = `workspace_id AS "workspaceId", id, task_id::text AS "taskId", action_id AS "actionId",
  (extract(epoch FROM clock_timestamp() - COALESCE(started_at, created_at)) * 1000)::float8 AS "ageMs"`;

const cancelRow = {
  name: 'cancel-execution',
  text: `
    WITH cancelled AS (
      UPDATE executions SET status = 'Fail', errors = ARRAY['was cancelled'], finished_at = clock_timestamp()
      WHERE workspace_id = $1 AND workflow_id = $2 AND id = $3 AND ${isOpen} AND claims = 0
        AND started_at IS NULL
      RETURNING ${endedColumns}
    )
    SELECT (SELECT row_to_json(cancelled) FROM cancelled) AS ended FROM executions
    WHERE workspace_id = $1 AND workflow_id = $2 AND id = $3`,
};

/** An execution that is wanted. */
export interface NewExecution extends Begun, Readonly<Pick<ExecutionEntity, 'workspaceId' | 'definition'>> {
  /** The ids of the stages that the task may stand in; null: any. */
  readonly stages: readonly number[] | null;
  readonly steps: readonly unknown[];
}

/** A Pending execution that has just been entered. */
export interface Entered {
  readonly id: string;
  /** Whether another of its task is Pending. When that one ends meanwhile, it does not know of this one. */
  readonly isBehind: boolean;
}

/**
 * Enters a Pending execution of the task of this id; undefined where there is none in such a stage. Throws when its
 * definition is not in force any more.
 */
export async function enter(
  db: EntityManager,
  taskId: string,
  execution: NewExecution,
): Promise<Entered | undefined> {
  return insert(db, inTurn, taskId, execution);
}

/**
 * Enters a Pending execution of the task of this Unique ID by one statement that waits for nothing: undefined also where
 * somebody holds the task or the definition.
 */
export async function enterAtOnce(
  db: EntityManager,
  uniqueId: string,
  execution: NewExecution,
): Promise<Entered | undefined> {
  return insert(db, atOnce, uniqueId, execution);
}

async function insert(
  db: EntityManager,
  statement: Statement,
  task: string,
  { workspaceId, workflowId, stages, actionId, actionName, performerId, definition, steps }: NewExecution, // prettier-ignore
): Promise<Entered | undefined> {
  const values = [
    workspaceId,
    workflowId,
    task,
    actionId,
    actionName,
    performerId,
    definition,
    JSON.stringify(steps),
    stages,
  ];
  const [entered] = await sql<Entered>(db, statement, values);
  return entered;
}

const insertion = (isTask: string, isInForce: string, locking: string): string => `
  INSERT INTO executions
    (workspace_id, workflow_id, task_id, action_id, action_name, performer_id, definition, steps)
  SELECT $1, $2, t.id, $4, $5, $6, $7::integer, $8
  FROM tasks t
  WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND ${isTask}
    AND ($9::integer[] IS NULL OR t.stage_id = ANY($9)) AND ${isInForce} ${locking}
  RETURNING id, EXISTS (
    SELECT FROM executions o
    WHERE o.workspace_id = $1 AND o.workflow_id = $2 AND o.task_id = executions.task_id AND o.status = 'Pending'
  ) AS "isBehind"`;

const inTurn = {
  name: 'enter-execution',
  text: insertion('t.id = $3::bigint', 'assert_definition($1, $2, $7)', ''),
};
const atOnce = {
  name: 'enter-execution-at-once',
  text: insertion('t.unique_value = $3', assertedAtOnce('$7'), 'FOR KEY SHARE OF t SKIP LOCKED'),
  isPrompt: true,
};

/** An execution as it is stored. */
export interface FoundExecution extends Omit<Begun, 'workflowId'>, Readonly<Pick<ExecutionEntity, Shown>> {
  readonly outcomes: readonly StepOutcome[];
}

type Shown = 'id' | 'status' | 'errors' | 'definition' | 'createdAt' | 'startedAt' | 'finishedAt';

const executionColumns = `
  e.id, e.status, e.errors, e.action_id AS "actionId", e.action_name AS "actionName",
  e.performer_id AS "performerId", e.definition, e.created_at AS "createdAt", e.started_at AS "startedAt",
  e.finished_at AS "finishedAt", e.outcomes`;

/** The execution of this id in the workflow. */
export async function findExecution(
  db: EntityManager,
  { workspaceId, id: workflowId }: Workflow,
  id: string,
): Promise<FoundExecution | undefined> {
  const [row] = await sql<FoundExecution>(db, find, [workspaceId, workflowId, id]);
  return row;
}

const find = {
  name: 'find-execution',
  text: `
    SELECT ${executionColumns} FROM executions e
    WHERE e.workspace_id = $1 AND e.workflow_id = $2 AND e.id = $3`,
};

/** Which executions; absent is any. */
export interface ExecutionFilter {
  readonly taskId: string | undefined;
  readonly status: string | undefined;
}

/** An execution of a list; its `id` there is its place, newest first. */
export interface ListedExecution {
  readonly id: string;
  readonly found: string;
  readonly execution: FoundExecution;
}

/** The next executions after this place, newest first; '0' begins with the newest. */
export async function listExecutions(
  db: EntityManager,
  { workspaceId, id }: Workflow,
  { taskId, status }: ExecutionFilter,
  after: string,
  limit: number,
): Promise<IdPage<ListedExecution>> {
  const values = [workspaceId, id, taskId, status, after, limit + 1];
  const rows = await sql<FoundExecution & { place: string; found: string }>(db, list, values);
  return pageOf(
    rows.map(({ place, found, ...execution }) => ({ id: place, found, execution })),
    limit,
  );
}

const list = {
  name: 'list-executions',
  text: `
    SELECT ${executionColumns}, e.place, count(*) OVER () AS found FROM (
      SELECT * FROM executions e
      WHERE e.workspace_id = $1 AND e.workflow_id = $2 AND ($3::bigint IS NULL OR e.task_id = $3)
        AND ($4::text IS NULL OR e.status = $4) AND ($5::bigint = 0 OR e.place < $5)
      ORDER BY e.place DESC LIMIT $6
    ) e
    ORDER BY e.place DESC`,
};
