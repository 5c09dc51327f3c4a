import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import {
  type FieldOptions,
  type FieldType,
  type Stored,
  type Users,
  readValue,
} from '../../schema/field-type.js';
import { Invalid } from '../../schema/invalid.js';
import { isSameValue } from '../merge/identities.js';
import { type ChangedField, isRetyped } from '../impact/changed-fields.js';
import { type OnProgress } from '../draft.js';
import { releaseBlobsOfField } from '../../task-store/blobs.repository.js';
import { nextVersion, ofWorkflow } from '../../task-store/task-row.js';
import { countTasksWhere, inChunk, inChunks, type WorkflowPlace } from './in-chunks.js';
import { fieldTypes, storageOf } from '../../schema/field-types.js';
import { isJsonList, type Json, toJson } from '../../../packages/exact-json/json.js';

/** Turns the values of fields that change their type into values of the new one; what does not fit becomes blank. */
export async function convertValues(
  db: EntityManager,
  place: WorkflowPlace,
  fields: readonly ChangedField[],
  users: Users,
  onProgress?: OnProgress,
): Promise<void> {
  const retyped = fields.filter(isRetyped);
  if (retyped.length === 0) return;
  const validator = await validatorOf(db, place, retyped, users);
  const run = { task: 'converting values', onProgress };
  // The Unique ID has a column of its own: on the way, its values stand with the others.
  for (const { field } of retyped) {
    if (storageOf(field.type) === 'blobs') await releaseBlobsOfField(db, place, field.id);
    if (storageOf(field.type) === 'column') await inChunks(db, place, fromColumn, [field.id], run);
  }
  await rewrite(db, place, retyped, validator, onProgress);
  for (const { field, wanted } of retyped)
    if (storageOf(wanted.type) === 'column') await inChunks(db, place, toColumn, [field.id], run);
}

interface Rewritten {
  readonly id: string;
  readonly removed: readonly string[];
  readonly added: Readonly<Record<string, Stored>>;
}

async function rewrite(
  db: EntityManager,
  place: WorkflowPlace,
  fields: readonly ChangedField[],
  validator: Validator,
  onProgress?: OnProgress,
): Promise<void> {
  const total = onProgress ? await countTasksWhere(db, place) : 0;
  let done = 0;
  const ids = fields.map(({ field }) => field.id);
  for await (const tasks of readValues(db, place, ids)) {
    const rewritten = tasks.flatMap((task) => rewriteTask(task, fields, validator));
    if (rewritten.length > 0)
      await sql(db, write, [place.workspaceId, place.workflowId, JSON.stringify(rewritten)]);
    done += tasks.length;
    onProgress?.({ task: 'converting values', done, total });
  }
}

function rewriteTask(
  task: ConvertedTask,
  fields: readonly ChangedField[],
  validator: Validator,
): Rewritten[] {
  const removed: string[] = [];
  const added = new Map<string, Stored>();
  for (const change of fields) {
    const stored = heldValue(change, task);
    const value = stored === undefined ? undefined : validateValue(change, task, stored, validator);
    if (stored === undefined || isSameValue(stored, value)) continue;
    if (value === undefined || value instanceof Invalid) removed.push(change.field.id);
    else added.set(change.field.id, value);
  }
  const isChanged = removed.length + added.size > 0;
  return isChanged ? [{ id: task.id, removed, added: Object.fromEntries(added) }] : [];
}

const write = {
  text: `
    UPDATE tasks t SET field_values = (t.field_values - n.removed) || n.added, ${nextVersion}
    FROM json_to_recordset($3::json) AS n (id bigint, removed text[], added jsonb)
    WHERE ${ofWorkflow} AND t.id = n.id`,
};

const fromColumn = `
  UPDATE tasks t SET field_values = t.field_values || jsonb_build_object($5::text, t.unique_value), unique_value = NULL,
    ${nextVersion}
  WHERE ${inChunk} AND t.unique_value IS NOT NULL`;

const toColumn = `
  UPDATE tasks t SET unique_value = t.field_values ->> $5::text, field_values = t.field_values - $5::text, ${nextVersion}
  WHERE ${inChunk} AND t.field_values ? $5::text`;

/** A type of field with what the definition says about it. */
export interface Typed {
  readonly type: string;
  readonly options: FieldOptions;
}

/**
 * A stored value as a field of another type keeps it: what a response shows of it, sent to that field. Undefined is
 * blank (an unticked checkbox), `Invalid` says why it does not fit. Nothing is ever rounded, cut or joined, and rules are
 * for what is written from now on.
 */
export function convertValue(stored: Stored, from: Typed, to: Typed): Stored | undefined | Invalid {
  const [before, after] = [fieldTypes.get(from.type), fieldTypes.get(to.type)];
  if (!before || !after) throw new Error(`no field type ${from.type} or ${to.type}`);
  if (before === after && after.restate) return after.restate(stored, to.options);
  const read = spellings(toJson(before.serialize(stored, from.options)), after).map((json) =>
    readValue(after, json, to.options),
  );
  const fitting = read.findIndex((value) => !(value instanceof Invalid));
  return read[Math.max(fitting, 0)];
}

/** The ways in which one value may be sent to a field of a type, the plainest first. */
function spellings(json: Json, to: FieldType): readonly Json[] {
  const own = to.spellings?.(json);
  if (own) return own;
  if (isJsonList(json)) return json.length === 1 ? json : [json];
  return typeof json === 'boolean' ? [json, String(json)] : [json];
}

/** What tells how a field's values come out of its change. */
export interface Validator {
  readonly users: Users;
  /** By field id, the tasks whose value an older task has too, where values become Unique IDs. */
  readonly repeated: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What validates the values of these fields, by the users as they will be. */
export async function validatorOf(
  db: EntityManager,
  place: WorkflowPlace,
  fields: readonly ChangedField[],
  users: Users,
): Promise<Validator> {
  const repeated = new Map<string, ReadonlySet<string>>();
  for (const change of fields) {
    if (!isRetyped(change) || storageOf(change.wanted.type) !== 'column') continue;
    const { id } = change.field;
    const rows = await sql<{ id: string }>(db, findRepeated, [place.workspaceId, place.workflowId, id]);
    repeated.set(id, new Set(rows.map((row) => row.id)));
  }
  return { users, repeated };
}

/** What a task holds in a field, Unique IDs too. */
export function heldValue({ field: { id, type } }: ChangedField, task: ConvertedTask): Stored | undefined {
  return task.values?.[id] ?? (storageOf(type) === 'column' ? (task.uniqueValue ?? undefined) : undefined);
}

/** Why a value that the changed field keeps breaks its rules. */
export function brokenRule(
  { wanted }: ChangedField,
  value: Stored,
  { users }: Validator,
): Invalid | undefined {
  return fieldTypes.get(wanted.type)?.validate?.(value, { ...wanted, users });
}

/** A task's value as its changed field keeps it, or why that is not one of its values any more. */
export function validateValue(
  { field, wanted }: ChangedField,
  task: ConvertedTask,
  stored: Stored,
  { users, repeated }: Validator,
): Stored | undefined | Invalid {
  if (repeated.get(field.id)?.has(task.id) === true) return new Invalid('has already been taken');
  const before = { type: field.type, options: { ...field.settings, users } };
  return convertValue(stored, before, { type: wanted.type, options: { ...wanted, users } });
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

/** What a task holds of some fields. */
export interface ConvertedTask {
  readonly id: string;
  readonly uniqueValue: string | null;
  /** By field id; null where it holds none of them. */
  readonly values: Readonly<Record<string, Stored>> | null;
}

/** Every task's values of these fields, in the order of creation: at most 5,000 tasks or some 4 MB at once. */
export async function* readValues(
  db: EntityManager,
  { workspaceId, workflowId }: WorkflowPlace,
  fieldIds: readonly string[],
): AsyncGenerator<readonly ConvertedTask[]> {
  for (let after = '0'; ;) {
    const tasks = await sql<ConvertedTask>(db, read, [workspaceId, workflowId, after, fieldIds]);
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
