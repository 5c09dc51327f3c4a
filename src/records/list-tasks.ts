import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type Workflow } from '../workflows/workspace.js';
import { whereClause } from './task-query.js';
import { type ReadRow, selectTask, type TaskRow, tasksOf } from './task-row.js';

export interface TaskFilter {
  readonly conditions: readonly Condition[];
  readonly isActive: boolean;
}

/** Some tasks in the order of creation, and whether there may be more behind them. */
export interface TaskBatch {
  readonly tasks: readonly TaskRow[];
  readonly isLast: boolean;
}

/** The next tasks behind the one of id `after`, by the definition in force: at most 500, and about 2 MB. */
export async function listTasks(
  db: EntityManager,
  workflow: Workflow,
  { conditions, isActive }: TaskFilter,
  after: string,
): Promise<TaskBatch> {
  const where = whereClause(conditions, 4);
  const text = listText(`${isActive ? ' AND t.is_active' : ''}${where.text}`);
  const values = [workflow.workspaceId, workflow.id, after, ...where.values];
  const rows = tasksOf(workflow, await sql<ReadRow<ListedTask>>(db, { text }, values));
  const tasks = rows.filter(hasValues);
  return { tasks, isLast: rows.length < most && tasks.length === rows.length };
}

/** A task whose values are left out goes into a later batch. */
type ListedTask = Omit<TaskRow, 'fieldValues'> & { readonly fieldValues: TaskRow['fieldValues'] | null };

function hasValues(task: ListedTask): task is TaskRow {
  return task.fieldValues !== null;
}

const most = 500;
const mostBytes = 2_000_000;

// Values are stored uncompressed, so their size is known without reading them.
function listText(where: string): string {
  return `
    SELECT w.version AS definition, ${selectTask(`CASE WHEN t.preceding < ${mostBytes} THEN t.field_values END`)}
    FROM workspaces w
    LEFT JOIN LATERAL (
      SELECT t.*, sum(pg_column_size(t.field_values)) OVER (ORDER BY t.id ROWS UNBOUNDED PRECEDING)
        - pg_column_size(t.field_values) AS preceding
      FROM tasks t
      WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id > $3::bigint${where}
      ORDER BY t.id LIMIT ${most}
    ) t ON true
    WHERE w.id = $1
    ORDER BY t.id`;
}
