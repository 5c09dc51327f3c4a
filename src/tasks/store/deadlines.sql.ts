import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

// The deadlines of tasks are the rows of their clocks.

/** SQL: whether the task `t` has a deadline of this id that is overdue at this instant; both are SQL. */
export const hasOverdue = (id: string, at: string): string => `EXISTS (
    SELECT FROM clocks c WHERE c.workspace_id = t.workspace_id AND c.task_id = t.id
      AND c.clock_id = ${id} AND c.due_at <= ${at}
  )`;

/** The ids of the deadlines of a task that are overdue at an instant. */
export async function overdueDeadlines(
  db: EntityManager,
  { workspaceId }: Workflow,
  taskId: string,
  at: Date,
): Promise<string[]> {
  const rows = await sql<{ id: string }>(db, read, [workspaceId, taskId, at]);
  return rows.map(({ id }) => id);
}

const read = {
  name: 'read-overdue-deadlines',
  text: 'SELECT clock_id AS id FROM clocks WHERE workspace_id = $1 AND task_id = $2 AND due_at <= $3',
};
