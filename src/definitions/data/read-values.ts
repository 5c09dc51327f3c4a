import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type Stored } from '../../schema/field-type.js';
import { type TaskPlace } from './task-place.js';

/** What a task holds of some fields. */
export interface TaskValues {
  readonly id: string;
  readonly uniqueValue: string | null;
  /** By field id; null where it holds none of them. */
  readonly values: Readonly<Record<string, Stored>> | null;
}

/** Every task's values of these fields, in the order of creation: at most 5,000 tasks or some 4 MB at once. */
export async function* readValues(
  db: EntityManager,
  { workspaceId, workflowId }: TaskPlace,
  fieldIds: readonly string[],
): AsyncGenerator<readonly TaskValues[]> {
  for (let after = '0'; ;) {
    const tasks = await sql<TaskValues>(db, read, [workspaceId, workflowId, after, fieldIds]);
    const last = tasks.at(-1);
    if (!last) return;
    yield tasks;
    after = last.id;
  }
}

const read = {
  text: `
    SELECT t.id, t.unique_value AS "uniqueValue", (
      SELECT jsonb_object_agg(f, t.field_values -> f) FROM unnest($4::text[]) f WHERE t.field_values ? f
    ) AS values
    FROM (
      SELECT s.*, sum(pg_column_size(s.field_values)) OVER (ORDER BY s.id) - pg_column_size(s.field_values) AS before
      FROM (
        SELECT id, unique_value, field_values FROM tasks
        WHERE workspace_id = $1 AND workflow_id = $2 AND id > $3 ORDER BY id LIMIT 5000
      ) s
    ) t
    WHERE t.before < 4000000
    ORDER BY t.id`,
};
