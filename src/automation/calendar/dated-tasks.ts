import { type EntityManager } from 'typeorm';
import { type UserKey } from '../../access/sessions.js';
import { sql } from '../../common/database/sql.js';
import { taskColumns, type TaskRow } from '../../tasks/store/task-row.js';

export type DatedTask = TaskRow & { readonly workflowId: number; readonly dueAt: Date | null };

/** The open tasks of a user in these workflows, in the order of their due times. */
export async function datedTasks(
  db: EntityManager,
  { workspaceId, userId }: UserKey,
  workflowIds: readonly number[],
): Promise<DatedTask[]> {
  return sql<DatedTask>(db, dated, [workspaceId, userId, workflowIds]);
}

const MAX_TASKS = 500;

const dated = {
  name: 'dated-tasks',
  text: `
    SELECT t.* FROM unnest($3::integer[]) w (id) CROSS JOIN LATERAL (
      SELECT ${taskColumns.replace(/t\.field_values AS/, "CASE WHEN pg_column_size(t.field_values) <= 16384 THEN t.field_values ELSE '{}' END AS")},
        t.workflow_id AS "workflowId", t.due_at AS "dueAt"
      FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = w.id AND t.is_active AND t.assignee_id = $2
      ORDER BY t.due_at NULLS LAST, t.id LIMIT ${MAX_TASKS}
    ) t ORDER BY t."dueAt" NULLS LAST, t.id LIMIT ${MAX_TASKS}`,
};
