import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type EndedExecution } from './execution-log.js';
import { type ExecutionKey, MAX_CLAIMS, endedColumns, isOpen } from './executions.repository.js';

/** An execution that somebody should go on with. */
export interface Due extends ExecutionKey {
  /** Its workers were lost again and again, perhaps because of it: it must not run beside others. */
  readonly isSuspect: boolean;
}

/** Executions whose lease has ended, or that nobody claimed for so long; the oldest first. */
export async function dueExecutions(db: EntityManager, unheardMs: number, limit: number): Promise<Due[]> {
  return sql<Due>(db, due, [limit, unheardMs]);
}

/** An execution that is to be given up, and why. */
export interface Overdue extends ExecutionKey {
  readonly reason: string;
}

/** Executions without a lease that are past their time, or were claimed too often without progress. */
export async function overdueExecutions(
  db: EntityManager,
  { executionMs, unclaimedMs }: { readonly executionMs: number; readonly unclaimedMs: number },
  limit: number,
): Promise<Overdue[]> {
  return sql<Overdue>(db, overdue, [executionMs, unclaimedMs, MAX_CLAIMS, limit]);
}

/** Forgets executions that ended so many days ago. */
export async function forgetExecutions(db: EntityManager, days: number): Promise<void> {
  await sql(db, forget, [days]);
}

// This condition is what makes PostgreSQL use the index of Pending executions in the order of their places.
const free = `e.finished_at IS NULL AND COALESCE(e.lease_until, e.created_at) < clock_timestamp()`;

const due = {
  name: 'due-executions',
  text: `
    SELECT e.workspace_id AS "workspaceId", e.id, e.claims > 1 AS "isSuspect" FROM executions e
    WHERE ${free} AND (e.lease_until IS NOT NULL OR e.created_at < clock_timestamp() - make_interval(secs => $2::numeric / 1000))
      AND NOT EXISTS (
        SELECT FROM executions o
        WHERE o.workspace_id = e.workspace_id AND o.workflow_id = e.workflow_id AND o.task_id = e.task_id
          AND o.status = 'Pending' AND o.place < e.place
      )
    ORDER BY e.place LIMIT $1`,
};

const overdue = {
  name: 'overdue-executions',
  text: `
    SELECT * FROM (
      SELECT e.workspace_id AS "workspaceId", e.id, CASE
        WHEN e.claims >= $3 THEN 'was given up after several attempts'
        WHEN e.started_at < clock_timestamp() - make_interval(secs => $1::numeric / 1000) THEN 'took too long'
        WHEN e.started_at IS NULL AND e.created_at < clock_timestamp() - make_interval(secs => $2::numeric / 1000)
          THEN 'was not begun in time'
      END AS reason
      FROM executions e WHERE ${free}
      ORDER BY e.place LIMIT 1000
    ) e
    WHERE reason IS NOT NULL LIMIT $4`,
};

const forget = {
  name: 'forget-executions',
  text: `
    DELETE FROM executions WHERE (workspace_id, id) IN (
      SELECT workspace_id, id FROM executions
      WHERE status <> 'Pending' AND finished_at < now() - make_interval(days => $1::integer) LIMIT 1000
    )`,
};

/** Ends an execution that nobody has; undefined when somebody has it, or it has ended. */
export async function abandon(
  db: EntityManager,
  { workspaceId, id }: ExecutionKey,
  error: string,
): Promise<EndedExecution | undefined> {
  const [ended] = await sql<EndedExecution>(db, abandonRow, [workspaceId, id, [error]]);
  return ended;
}

const abandonRow = {
  name: 'abandon-execution',
  text: `
    UPDATE executions SET status = 'Fail', errors = $3, finished_at = clock_timestamp(), lease_until = NULL
    WHERE workspace_id = $1 AND id = $2 AND ${isOpen}
      AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING ${endedColumns}`,
};
