import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../auth/api-keys.js';
import { sql, type Statement } from '../database/sql.js';
import { type Given } from '../workspace/given.js';
import { type ExecutionStatus } from '../database/column-values.js';
import { type ExecutionEntity } from './execution.entity.js';
import { type TaskEntity } from '../task-store/task.entity.js';
import { sourceOf } from '../events/event-names.js';
import { type StepDefinition } from '../workspace/action-definition.js';
import { type Answers } from './step-outcomes.js';
import { executionColumns, type FoundExecution, wasCancelled } from './executions.repository.js';

/** The workflows whose executions an administrator may see. */
export interface Watched {
  readonly workspaceId: number;
  readonly workflowIds: readonly number[];
}

/** An execution in an administrator's overview. */
export interface WatchedExecution extends FoundExecution, Readonly<Pick<ExecutionEntity, 'workflowId'>> {
  /** Null if the task was deleted. */
  readonly task: Readonly<Pick<TaskEntity, 'publicId' | 'uniqueValue'>> | null;
  readonly isCancelled: boolean;
  /** The name of the key that started it, if one did. */
  readonly keyName: string | undefined;
}

/** An execution with all details. */
export interface WholeExecution extends WatchedExecution {
  /** The steps at the time when it was entered. */
  readonly steps: readonly StepDefinition[];
  readonly answers: Answers;
  readonly given: Given | null;
  /** Whether it has not begun, so that it can be cancelled. */
  readonly isWaiting: boolean;
}

/** The filter of the list. */
export interface WatchedFilter {
  readonly status: ExecutionStatus | undefined;
  /** The id of the last execution of the previous page. Starts with the newest if absent or no longer kept. */
  readonly after: string | undefined;
}

/** Lists the executions of these workflows, newest first. */
export async function listWatched(
  db: EntityManager,
  { workspaceId, workflowIds }: Watched,
  { status, after }: WatchedFilter,
  limit: number,
): Promise<WatchedExecution[]> {
  const values = [workspaceId, workflowIds, after, limit];
  return named(db, workspaceId, await sql<WatchedRow>(db, listOf(status), values));
}

/** The execution with this id, if it belongs to one of these workflows. */
export async function findWatched(
  db: EntityManager,
  { workspaceId, workflowIds }: Watched,
  id: string,
): Promise<WholeExecution | undefined> {
  const rows = await sql<WholeExecution & WatchedRow>(db, find, [workspaceId, workflowIds, id]);
  const [found] = await named(db, workspaceId, rows);
  return found;
}

/** Lists the executions of the same task, newest first. */
export async function listOfSameTask(
  db: EntityManager,
  workspaceId: number,
  id: string,
  limit: number,
): Promise<WatchedExecution[]> {
  return named(db, workspaceId, await sql<WatchedRow>(db, ofSameTask, [workspaceId, id, limit]));
}

/** Counts that need an administrator's attention. */
export interface WatchedCounts {
  readonly pending: number;
  /** In the last 24 hours. */
  readonly failed: number;
}

/** Counts Pending executions and recent failures, each up to 100. */
export async function countWatched(
  db: EntityManager,
  { workspaceId, workflowIds }: Watched,
): Promise<WatchedCounts> {
  const [counts] = await sql<WatchedCounts>(db, count, [workspaceId, workflowIds]);
  return counts ?? { pending: 0, failed: 0 };
}

type WatchedRow = Omit<WatchedExecution, 'keyName'> & Readonly<Pick<ExecutionEntity, 'origin'>>;

async function named<Row extends WatchedRow>(
  db: EntityManager,
  workspaceId: number,
  rows: readonly Row[],
): Promise<(Row & Pick<WatchedExecution, 'keyName'>)[]> {
  const keyOf = ({ origin }: Row): string | undefined => sourceOf(origin).key;
  const names = await namesOfKeys(db, workspaceId, new Set(rows.map(keyOf).filter((id) => id !== undefined)));
  return rows.map((row) => {
    const key = keyOf(row);
    return { ...row, keyName: key === undefined ? undefined : (names.get(key) ?? key) };
  });
}

const columns = `
  ${executionColumns}, e.workflow_id AS "workflowId", e.origin, ${wasCancelled} AS "isCancelled",
  CASE WHEN t.id IS NOT NULL THEN json_build_object('publicId', t.public_id, 'uniqueValue', t.unique_value) END AS task`;
const ofTask =
  'LEFT JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.task_id';

/** One statement per status, so that PostgreSQL can use the partial index of that status. */
const listOf = (status: ExecutionStatus | undefined): Statement => ({
  name: `list-watched-executions-${status ?? 'all'}`,
  text: `
    SELECT ${columns} FROM unnest($2::integer[]) w (id) CROSS JOIN LATERAL (
      SELECT * FROM executions e
      WHERE e.workspace_id = $1 AND e.workflow_id = w.id ${status === undefined ? '' : `AND e.status = '${status}'`}
        AND e.place < COALESCE(
          (SELECT o.place FROM executions o WHERE o.workspace_id = $1 AND o.id = $3::text), 9223372036854775807
        )
      ORDER BY e.place DESC LIMIT $4
    ) e ${ofTask}
    ORDER BY e.place DESC LIMIT $4`,
});

const find = {
  name: 'find-watched-execution',
  text: `
    SELECT ${columns}, e.steps, e.answers, e.given, e.claims = 0 AND e.started_at IS NULL AND e.status = 'Pending' AS "isWaiting"
    FROM executions e ${ofTask}
    WHERE e.workspace_id = $1 AND e.workflow_id = ANY($2::integer[]) AND e.id = $3`,
};

const ofSameTask = {
  name: 'list-executions-of-same-task',
  text: `
    SELECT ${columns} FROM executions o
    JOIN executions e ON e.workspace_id = $1 AND e.workflow_id = o.workflow_id AND e.task_id = o.task_id
    ${ofTask}
    WHERE o.workspace_id = $1 AND o.id = $2
    ORDER BY e.place DESC LIMIT $3`,
};

// Unordered by default, because sorting would cost more than the count.
const upTo100 = (condition: string, order = ''): string => `
  unnest($2::integer[]) w (id) CROSS JOIN LATERAL (
    SELECT e.finished_at FROM executions e
    WHERE e.workspace_id = $1 AND e.workflow_id = w.id AND ${condition} ${order} LIMIT 100
  ) e`;

const count = {
  name: 'count-watched-executions',
  text: `
    SELECT (SELECT LEAST(count(*), 100)::integer FROM ${upTo100(`e.status = 'Pending'`)}) AS pending,
      (SELECT LEAST(count(*), 100)::integer FROM ${upTo100(`e.status = 'Fail'`, 'ORDER BY e.place DESC')}
       WHERE e.finished_at > now() - interval '24 hours') AS failed`,
};
