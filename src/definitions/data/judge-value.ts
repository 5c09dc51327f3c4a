import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type Stored, type Users } from '../../schema/field-type.js';
import { Invalid } from '../../schema/invalid.js';
import { type ChangedField, isRetyped } from './changed-fields.js';
import { convertValue } from './convert-value.js';
import { type TaskValues } from './read-values.js';
import { type TaskPlace } from './task-place.js';

/** What tells how a field's values come out of its change. */
export interface Judge {
  readonly users: Users;
  /** By field id, the tasks whose value an older task has too, where values become Unique IDs. */
  readonly repeated: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A judge of these fields, by the users as they will be. */
export async function judgeOf(
  db: EntityManager,
  place: TaskPlace,
  fields: readonly ChangedField[],
  users: Users,
): Promise<Judge> {
  const repeated = new Map<string, ReadonlySet<string>>();
  for (const change of fields) {
    if (!isRetyped(change) || change.wanted.type !== 'uniqueId') continue;
    const { id } = change.field;
    const rows = await sql<{ id: string }>(db, findRepeated, [place.workspaceId, place.workflowId, id]);
    repeated.set(id, new Set(rows.map((row) => row.id)));
  }
  return { users, repeated };
}

/** What a task holds in a field, Unique IDs too. */
export function heldValue({ field: { id, type } }: ChangedField, task: TaskValues): Stored | undefined {
  return task.values?.[id] ?? (type === 'uniqueId' ? (task.uniqueValue ?? undefined) : undefined);
}

/** A task's value as its changed field keeps it, or why that is not one of its values any more. */
export function judgeValue(
  { field, wanted }: ChangedField,
  task: TaskValues,
  stored: Stored,
  { users, repeated }: Judge,
): Stored | undefined | Invalid {
  if (repeated.get(field.id)?.has(task.id) === true) return new Invalid('has already been taken');
  if (field.type === 'file' && wanted.type === 'file') return judgeFiles(stored, wanted.limit ?? Infinity);
  const before = { type: field.type, options: { ...field.settings, users } };
  return convertValue(stored, before, { type: wanted.type, options: { ...wanted, users } });
}

function judgeFiles(stored: Stored, limit: number): Stored | Invalid {
  const isFitting = !Array.isArray(stored) || stored.length <= limit;
  return isFitting ? stored : new Invalid(`holds more than ${limit} files`);
}

// Equal values are equal JSON, and stay so as Unique IDs.
const findRepeated = {
  text: `
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY field_values -> $3 ORDER BY id) AS place FROM tasks
      WHERE workspace_id = $1 AND workflow_id = $2 AND field_values ? $3
    ) t
    WHERE place > 1`,
};
