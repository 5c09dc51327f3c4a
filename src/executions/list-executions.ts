import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type IdPage, pageOf } from '../records/pages.js';
import { type Workflow } from '../workflows/workspace.js';
import { executionColumns, type FoundExecution } from './find-execution.js';

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

/** The next executions behind this place, newest first; '0' is before the newest. */
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
