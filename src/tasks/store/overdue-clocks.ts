import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** The ids of the clocks of a task that are overdue at an instant. */
export async function overdueClocks(
  db: EntityManager,
  { workspaceId }: Workflow,
  taskId: string,
  at: Date,
): Promise<string[]> {
  const rows = await sql<{ id: string }>(db, read, [workspaceId, taskId, at]);
  return rows.map(({ id }) => id);
}

const read = {
  name: 'read-overdue-clocks',
  text: 'SELECT clock_id AS id FROM clocks WHERE workspace_id = $1 AND task_id = $2 AND due_at <= $3',
};
