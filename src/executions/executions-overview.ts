import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../auth/api-keys.js';
import { sql, type Statement } from '../database/sql.js';
import { type Given } from '../workspace/given.js';
import { type ExecutionStatus } from '../entities/column-values.js';
import { type ExecutionEntity } from '../entities/execution.entity.js';
import { type TaskEntity } from '../entities/task.entity.js';
import { sourceOf } from '../events/event-names.js';
import { type StepDefinition } from '../workspace/definition.js';
import { type Answers } from './step-outcomes.js';
import { executionColumns, type FoundExecution, wasCancelled } from './executions.repository.js';

/** The workflows of a workspace whose executions somebody watches over. */
export interface Watched {
  readonly workspaceId: number;
  readonly workflowIds: readonly number[];
}

/** An execution as those see it who watch over all of them. */
export interface WatchedExecution extends FoundExecution, Readonly<Pick<ExecutionEntity, 'workflowId'>> {
  /** Null where it was deleted. */
  readonly task: Readonly<Pick<TaskEntity, 'publicId' | 'uniqueValue'>> | null;
  readonly isCancelled: boolean;
  /** The name of the key that asked for it, where one did. */
  readonly keyName: string | undefined;
}

/** One of them, whole. */
export interface WholeExecution extends WatchedExecution {
  /** As they were when it was begun. */
  readonly steps: readonly StepDefinition[];
  readonly answers: Answers;
  readonly given: Given | null;
  /** Whether it has not begun to run, and so can be cancelled. */
  readonly isWaiting: boolean;
}

/** Which of them are listed. */
export interface WatchedFilter {
  readonly status: ExecutionStatus | undefined;
  /** The id of the one behind which the page begins; without it, or where that is forgotten, with the newest. */
  readonly after: string | undefined;
}

/** The executions of these workflows, newest first. */
export async function listWatched(
  db: EntityManager,
  { workspaceId, workflowIds }: Watched,
  { status, after }: WatchedFilter,
  limit: number,
): Promise<WatchedExecution[]> {
  const values = [workspaceId, workflowIds, after, limit];
  return named(db, workspaceId, await sql<WatchedRow>(db, listOf(status), values));
}

/** The execution of this id, if it is of one of these workflows. */
export async function findWatched(
  db: EntityManager,
  { workspaceId, workflowIds }: Watched,
  id: string,
): Promise<WholeExecution | undefined> {
  const rows = await sql<WholeExecution & WatchedRow>(db, find, [workspaceId, workflowIds, id]);
  const [found] = await named(db, workspaceId, rows);
  return found;
}

/** The executions of the same task, newest first. */
export async function listOfSameTask(
  db: EntityManager,
  workspaceId: number,
  id: string,
  limit: number,
): Promise<WatchedExecution[]> {
  return named(db, workspaceId, await sql<WatchedRow>(db, ofSameTask, [workspaceId, id, limit]));
}

/** The figures that an administrator looks after. */
export interface WatchedCounts {
  readonly pending: number;
  /** Of the last 24 hours. */
  readonly failed: number;
}

/** Counts what is Pending, and what has failed of late; either up to 100. */
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

/** A statement for each status, so that PostgreSQL knows that it may use the index of that status. */
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

// In no order where that would cost more than to count.
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
