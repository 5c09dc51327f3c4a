import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { assertVersion } from '../workflows/stale-definition.js';
import { type Workflow } from '../workflows/workspace.js';
import { whereClause } from './task-query.js';
import { taskColumns, type TaskRow } from './task-row.js';

export interface TaskFilter {
  readonly conditions: readonly Condition[];
  readonly isActive: boolean;
}

/** The next tasks in the order of creation, behind the task of id `after`, by the definition in force. */
export async function listTasks(
  db: EntityManager,
  workflow: Workflow,
  filter: TaskFilter,
  after: string,
  limit: number,
): Promise<TaskRow[]> {
  const where = whereClause(filter.conditions, 5);
  const values = [workflow.workspaceId, workflow.id, after, limit, ...where.values];
  const rows = await sql<ListedRow>(db, { text: listText(where.text, filter.isActive) }, values);
  assertVersion(rows[0]?.definition ?? 0, workflow.version);
  return rows.filter(isTask);
}

type ListedRow = { readonly definition: number } & (TaskRow | { readonly id: null });

function isTask(row: ListedRow): row is ListedRow & TaskRow {
  return row.id !== null;
}

function listText(where: string, isActive: boolean): string {
  return `
    SELECT w.version AS definition, t.*
    FROM workspaces w
    LEFT JOIN LATERAL (
      SELECT ${taskColumns} FROM tasks t
      WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id > $3::bigint${isActive ? ' AND t.is_active' : ''}${where}
      ORDER BY t.id LIMIT $4
    ) t ON true
    WHERE w.id = $1
    ORDER BY t.id`;
}
