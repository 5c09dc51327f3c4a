import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../../common/database/leftovers.js';
import { sql } from '../../common/database/sql.js';
import { type RunResult } from '../../common/column-values.js';
import { RunEntity } from './run.entity.js';
import { keptText, type Message } from '../../common/message.js';
import { type Sight } from '../../workflows/model/roles.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { causeOfRun, type RunTask, type WantedRun } from './run.js';
import { type IdPage, pageOfLinks } from '../../common/id-page.js';

export interface NewRun extends Omit<WantedRun, 'scope' | 'action' | 'task'> {
  /** Absent if the run starts no action. */
  readonly actionId?: string;
  /** Absent if the run concerns no task. */
  readonly task?: RunTask | undefined;
  readonly result: RunResult;
  readonly because: Message;
}

/**
 * Records a run and returns its place. Undefined if the starter already has a run for this task and the same
 * event or local time.
 */
export async function recordRun(tx: EntityManager, run: NewRun): Promise<string | undefined> {
  const { starter, actionId, task, eventId, isCaused = false, result, because, nominal, given } = run;
  const values = [
    starter.workspaceId,
    starter.kind,
    starter.workflowId,
    starter.starterId,
    actionId,
    eventId,
    task?.workflowId,
    task?.taskId,
    task?.publicId,
    task?.uniqueValue,
    result,
    keptText(because),
    JSON.stringify(causeOfRun(run)),
    isCaused,
    nominal,
    result === 'waiting' && given ? JSON.stringify(given) : null,
  ];
  const [row] = await sql<{ place: string }>(tx, record, values);
  return row?.place;
}

const record = {
  name: 'record-run',
  text: `
    INSERT INTO runs (workspace_id, kind, workflow_id, starter_id, action_id, event_id, task_workflow_id, task_id, public_id,
      unique_value, result, because, cause, is_caused, nominal, given, started_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
      CASE WHEN $11 = 'started' THEN service_now() END)
    ON CONFLICT DO NOTHING RETURNING place`,
};

/** Whether a schedule already has a run for this local time. */
export async function hasRunFor(
  tx: EntityManager,
  { workspaceId, workflowId, kind, starterId }: WantedRun['starter'],
  nominal: string,
): Promise<boolean> {
  return tx.existsBy(RunEntity, { workspaceId, workflowId, kind, starterId, nominal });
}

/** Stores the execution of a run. `executionId` is undefined if the task was deleted. */
export async function noteExecution(
  tx: EntityManager,
  workspaceId: number,
  place: string,
  executionId: string | undefined,
): Promise<void> {
  await sql(tx, note, [workspaceId, place, executionId, keptText('the task was deleted')]);
}

const note = {
  name: 'note-execution-of-run',
  text: `
    UPDATE runs SET execution_id = $3, started_at = COALESCE(started_at, service_now()),
      result = CASE WHEN $3::text IS NULL THEN 'unavailable' ELSE 'started' END,
      because = CASE WHEN $3::text IS NULL THEN $4 ELSE because END
    WHERE workspace_id = $1 AND place = $2`,
};

export interface RunFilter {
  readonly starter?: { readonly workflowId: number; readonly kind: string; readonly id: string };
  readonly taskId?: string;
  readonly result?: string | undefined;
  readonly sight: RunSight;
}

/** The workflows in which the reader sees all tasks (`whole`), or only the tasks of `userId` (`assigned`). */
export type RunSight = Sight & { readonly userId?: string | undefined };

export interface ListedRun {
  readonly id: string;
  /** Whether the reader may see the cause: the starter and, for a rule, the task whose event triggered it. */
  readonly isTold: boolean;
  readonly found: string;
  readonly run: RunEntity;
}

/** A page of runs, newest first, after the place `after`. If `after` is '0', starts with the newest. */
export async function listRuns(
  db: EntityManager,
  workspaceId: number,
  { starter, taskId, result, sight }: RunFilter,
  after: string,
  limit: number,
): Promise<IdPage<ListedRun>> {
  const values = [
    workspaceId,
    after,
    limit + 1,
    result,
    sight.whole,
    sight.assigned,
    sight.userId,
    ...(starter ? [starter.workflowId, starter.kind, starter.id] : [taskId]),
  ];
  const listed = starter ? ofStarter : ofTask;
  const rows = await sql<RunEntity & Pick<ListedRun, 'found' | 'isTold'>>(db, listed, values);
  return pageOfLinks(
    rows.map(({ found, isTold, ...run }) => ({ id: run.place, found, isTold, run })),
    limit,
  );
}

const columns = `
  r.place, r.id, r.kind, r.workflow_id AS "workflowId", r.starter_id AS "starterId", r.action_id AS "actionId",
  r.event_id AS "eventId", r.task_workflow_id AS "taskWorkflowId", r.task_id AS "taskId", r.public_id AS "publicId",
  r.unique_value AS "uniqueValue", r.result, r.because, r.cause, r.execution_id AS "executionId", r.nominal, r.created_at AS "createdAt"`;

/** SQL: whether the reader sees a task. Only a reader who sees the whole workflow sees a deleted task. */
const isSeen = (workflow: string, isNamed: string): string => `(${workflow} = ANY($5::integer[]) OR (
          ${workflow} = ANY($6::integer[]) AND EXISTS (
            SELECT FROM tasks t
            WHERE t.workspace_id = $1 AND t.workflow_id = ${workflow} AND ${isNamed} AND t.assignee_id = $7
          )))`;

/** SQL: whether `t` is the task whose event triggered the rule: the last task of the chain. */
const eventTask = `t.public_id = r.cause -> 'chain' -> -1 ->> 'task'`;

const listing = (isMeant: string): string => `
    SELECT r.*, count(*) OVER () AS found FROM (
      SELECT ${columns},
        CASE WHEN r.kind = 'rule' AND r.cause #> '{chain,0}' IS NOT NULL THEN ${isSeen('r.workflow_id', eventTask)}
          ELSE r.workflow_id = ANY($5::integer[] || $6::integer[]) END AS "isTold"
      FROM runs r
      WHERE r.workspace_id = $1 AND ${isMeant} AND ($4::text IS NULL OR r.result = $4)
        AND (r.task_workflow_id IS NULL OR ${isSeen('r.task_workflow_id', 't.id = r.task_id')})
        AND r.place < COALESCE(NULLIF($2::bigint, 0), 9223372036854775807)
      ORDER BY r.place DESC LIMIT $3
    ) r ORDER BY r.place DESC`;

const ofStarter = {
  name: 'list-runs-of-starter',
  text: listing('r.workflow_id = $8 AND r.kind = $9 AND r.starter_id = $10'),
};
const ofTask = { name: 'list-runs-of-task', text: listing('r.task_id = $8::bigint') };

export async function lastRuns(
  db: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  kind: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql<{ id: string; at: Date }>(db, readLast, [workspaceId, id, kind, ids]);
  return new Map(rows.map((row) => [row.id, row.at]));
}

const readLast = {
  name: 'last-runs',
  text: `
    SELECT s.id, r.created_at AS at FROM unnest($4::text[]) s (id) CROSS JOIN LATERAL (
      SELECT created_at FROM runs
      WHERE workspace_id = $1 AND workflow_id = $2 AND kind = $3 AND starter_id = s.id ORDER BY place DESC LIMIT 1
    ) r`,
};

export const oldRuns: Leftovers = {
  table: 'runs',
  key: 'place',
  isOver: `created_at < service_now(statement_timestamp()) - interval '90 days' AND result <> 'waiting'`,
  most: 5000,
};
