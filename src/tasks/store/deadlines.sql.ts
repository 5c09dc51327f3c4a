import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

// Deadlines are stored as rows of the table `clocks`.

/** SQL: whether the deadline `id` of the task `t` is overdue at `at`. Both arguments are SQL. */
export const hasOverdue = (id: string, at: string): string => `EXISTS (
    SELECT FROM clocks c WHERE c.workspace_id = t.workspace_id AND c.task_id = t.id
      AND c.clock_id = ${id} AND c.due_at <= ${at}
  )`;

/** Returns the ids of a task's deadlines that are overdue at an instant. */
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
