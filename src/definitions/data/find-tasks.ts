import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type Example, mostExamples } from './effect.js';

/** How many tasks of a workflow ($1 and $2) meet a condition, and some of them with a value. */
export async function findTasks(
  db: EntityManager,
  condition: string,
  values: readonly unknown[],
  value = 'NULL::jsonb',
): Promise<{ count: number; examples: Example[] }> {
  const text = `
    SELECT unique_value AS id, ${value} AS value, count(*) OVER () AS count FROM tasks
    WHERE workspace_id = $1 AND workflow_id = $2 AND ${condition} ORDER BY tasks.id LIMIT ${mostExamples}`;
  const rows = await sql<{ id: string | null; value: unknown; count: string }>(db, { text }, values);
  const examples = rows.map(({ id, value }) => ({ id, ...(value !== null && { value }) }));
  return { count: Number(rows[0]?.count ?? 0), examples };
}
