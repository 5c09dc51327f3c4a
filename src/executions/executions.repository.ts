import { type EntityManager } from 'typeorm';
import { type Given } from '../actions/given.js';
import { type StepOutcome } from '../actions/step.js';
import { type Leftovers } from '../common/database/leftovers.js';
import { type Origin } from '../common/origin.js';
import { sql, type Statement } from '../common/database/sql.js';
import { type ExecutionEntity } from './execution.entity.js';
import { assertedAtOnce } from '../tasks/store/assert-definition.js';
import { isSeen, sightFrom, type SightTexts, sqlSeen } from '../tasks/store/seen.js';
import { ofWorkflow } from '../tasks/store/task-row.js';
import { type EndedExecution } from './execution-log.js';
import { type Scope } from '../workflows/model/scope.js';
import { type IdPage, pageOfLinks } from '../common/id-page.js';

export const executionJob = 'execution';

export type ExecutionKey = Readonly<Pick<ExecutionEntity, 'workspaceId' | 'id'>>;

export function textOfKey({ workspaceId, id }: ExecutionKey): string {
  return `${workspaceId}/${id}`;
}

export type BegunExecution = Readonly<
  Pick<ExecutionEntity, 'workflowId' | 'actionId' | 'actionName' | 'performerId'>
>;

export interface NewExecution
  extends BegunExecution, Readonly<Pick<ExecutionEntity, 'workspaceId' | 'definition'>> {
  /** The ids of the stages in which the task may be; null for any stage. */
  readonly stages: readonly number[] | null;
  readonly steps: readonly unknown[];
  readonly given?: Given | null;
  readonly origin: Origin | undefined;
}

export interface EnteredExecution {
  readonly id: string;
}

/**
 * Inserts an execution. Undefined if the task was deleted, or is in none of the stages. Throws if the
 * definition has changed.
 */
export async function enter(
  db: EntityManager,
  taskId: string,
  execution: NewExecution,
): Promise<EnteredExecution | undefined> {
  return insert(db, inTurn, taskId, execution);
}

/** Like `enter`, but takes a Unique ID. Never waits: if the task or definition is locked, returns undefined. */
export async function enterAtOnce(
  db: EntityManager,
  task: string,
  execution: NewExecution,
): Promise<EnteredExecution | undefined> {
  return insert(db, atOnce, task, execution);
}

async function insert(
  db: EntityManager,
  statement: Statement,
  task: string,
  { workspaceId, workflowId, stages, actionId, actionName, performerId, definition, steps, origin, given = null }: NewExecution, // prettier-ignore
): Promise<EnteredExecution | undefined> {
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
    origin?.text,
    given && JSON.stringify(given),
  ];
  const [entered] = await sql<EnteredExecution>(db, statement, values);
  return entered;
}

const insertion = (isTask: string, isInForce: string, locking: string): string => `
  INSERT INTO executions
    (workspace_id, workflow_id, task_id, action_id, action_name, performer_id, definition, steps, origin, given)
  SELECT $1, $2, t.id, $4, $5, $6, $7::integer, $8, $10, $11
  FROM tasks t
  WHERE ${ofWorkflow} AND ${isTask}
    AND ($9::integer[] IS NULL OR t.stage_id = ANY($9)) AND ${isInForce} ${locking}
  RETURNING id`;

const inTurn = {
  name: 'enter-execution',
  text: insertion('t.id = $3::bigint', 'assert_definition($1, $2, $7, $10)', ''),
};
const atOnce = {
  name: 'enter-execution-at-once',
  text: insertion('t.unique_value = $3', assertedAtOnce('$7', '$10'), 'FOR KEY SHARE OF t SKIP LOCKED'),
};

export interface FoundExecution
  extends Omit<BegunExecution, 'workflowId'>, Readonly<Pick<ExecutionEntity, Shown>> {
  readonly outcomes: readonly StepOutcome[];
}

type Shown = 'id' | 'taskId' | 'status' | 'errors' | 'definition' | 'createdAt' | 'startedAt' | 'finishedAt';

export const executionColumns = `
  e.id, e.task_id AS "taskId", e.status, e.errors, e.action_id AS "actionId", e.action_name AS "actionName",
  e.performer_id AS "performerId", e.definition, e.created_at AS "createdAt", e.started_at AS "startedAt",
  e.finished_at AS "finishedAt", e.outcomes`;

export async function findExecution(
  db: EntityManager,
  scope: Scope,
  id: string,
): Promise<FoundExecution | undefined> {
  const [row] = await sqlSeen<FoundExecution>(db, scope, find, [scope.workspaceId, scope.workflow.id, id]);
  return row;
}

/** SQL: whether the viewer sees the execution `e`, by seeing its task or by being its performer. */
const isSeenBy = (sight: SightTexts): string => `(
  ${sight[0]}::integer[] IS NULL OR e.performer_id = ${sight[2]} OR EXISTS (
    SELECT FROM tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = e.task_id AND ${isSeen('t', sight)}
  ))`;

// `+ 0` rules out the index by workflow: without statistics, the planner might prefer it to the primary key.
const find = {
  name: 'find-execution',
  text: `
    SELECT ${executionColumns} FROM executions e
    WHERE e.workspace_id = $1 AND e.workflow_id + 0 = $2 AND e.id = $3 AND ${isSeenBy(sightFrom(4))}`,
};

/** An execution in a list. `id` is the execution's `place`. The next page starts after the last `id`. */
export interface ListedExecution {
  readonly id: string;
  readonly found: string;
  readonly execution: FoundExecution;
}

/** A page of executions, newest first, after the place `after`. If `after` is '0', starts with the newest. */
export async function listExecutions(
  db: EntityManager,
  scope: Scope,
  { taskId, status }: { readonly taskId: string | undefined; readonly status: string | undefined },
  after: string,
  limit: number,
): Promise<IdPage<ListedExecution>> {
  const values = [scope.workspaceId, scope.workflow.id, taskId, status, after, limit + 1];
  const rows = await sqlSeen<FoundExecution & { place: string; found: string }>(db, scope, list, values);
  return pageOfLinks(
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
        AND ($4::text IS NULL OR e.status = $4) AND ($5::bigint = 0 OR e.place < $5) AND ${isSeenBy(sightFrom(7))}
      ORDER BY e.place DESC LIMIT $6
    ) e
    ORDER BY e.place DESC`,
};

export const wasCancelled = `e.errors IS NOT DISTINCT FROM ARRAY['was cancelled']`;

/** Cancels an execution. Null if it has begun or ended, undefined if it does not exist. */
export async function cancel(
  db: EntityManager,
  { workspaceId, id }: ExecutionKey,
  { workflow: { id: workflowId }, origin }: Scope,
): Promise<EndedExecution | null | undefined> {
  const values = [workspaceId, workflowId, id, origin?.text ?? ''];
  const [row] = await sql<{ ended: EndedExecution | null }>(db, cancelRow, values);
  return row?.ended;
}

/** SQL: the columns of an ended execution for the log. */
export const endedColumns = `workspace_id AS "workspaceId", workflow_id AS "workflowId", id, action_id AS "actionId",
  (SELECT t.public_id FROM tasks t WHERE t.workspace_id = executions.workspace_id
    AND t.workflow_id = executions.workflow_id AND t.id = executions.task_id) AS "publicId",
  (extract(epoch FROM clock_timestamp() - COALESCE(started_at, created_at)) * 1000)::float8 AS "ageMs"`;

/**
 * SQL: whether an execution with a given id is Pending. With this form, PostgreSQL uses the primary key. With
 * `= 'Pending'`, PostgreSQL might use the index of Pending executions. Its statistics often say that there are
 * none, but under load there are thousands.
 */
export const isOpen = `status NOT IN ('Success', 'Fail')`;

const cancelRow = {
  name: 'cancel-execution',
  text: `
    WITH cancelled AS (
      UPDATE executions SET status = 'Fail', errors = ARRAY['was cancelled'], finished_at = clock_timestamp()
      WHERE workspace_id = $1 AND workflow_id = $2 AND id = $3 AND ${isOpen} AND claims = 0
        AND started_at IS NULL AND set_config('wts.origin', $4, true) IS NOT NULL
      RETURNING ${endedColumns}
    )
    SELECT (SELECT row_to_json(cancelled) FROM cancelled) AS ended FROM executions
    WHERE workspace_id = $1 AND workflow_id = $2 AND id = $3`,
};

export async function endedOf(db: EntityManager, keys: readonly ExecutionKey[]): Promise<ExecutionKey[]> {
  return sql<ExecutionKey>(db, ended, [keys.map(({ workspaceId }) => workspaceId), keys.map(({ id }) => id)]);
}

const ended = {
  name: 'ended-executions',
  scope: 'all workspaces' as const,
  text: `
    SELECT workspace_id AS "workspaceId", id FROM executions
    WHERE (workspace_id, id) IN (SELECT * FROM unnest($1::integer[], $2::text[])) AND status <> 'Pending'`,
};

/** Executions that ended more than 90 days ago. */
export const oldExecutions: Leftovers = {
  table: 'executions',
  key: 'id',
  isOver: "status <> 'Pending' AND finished_at < now() - interval '90 days'",
  most: 1000,
};
