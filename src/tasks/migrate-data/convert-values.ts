import { isDeepStrictEqual } from 'node:util';
import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import {
  type FieldOptions,
  type FieldType,
  type Stored,
  type Users,
  readValue,
} from '../../workflows/fields/field-type.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { type ChangedField, isRetyped } from '../../workflows/model/changed-fields.js';
import { releaseBlobsWithin } from '../files/blobs.repository.js';
import { nextVersion, ofWorkflow } from '../store/task-row.js';
import { inChunk, inChunks, type WorkflowPlace } from './in-chunks.js';
import { fieldTypes, storageOf } from '../../workflows/fields/field-types.js';
import { isJsonList, type Json, toJson } from '../../../packages/exact-json/json.js';

/** Converts the values of fields that change their type; values that do not fit become blank. */
export async function convertValues(
  db: EntityManager,
  place: WorkflowPlace,
  fields: readonly ChangedField[],
  users: Users,
): Promise<void> {
  const retyped = fields.filter(isRetyped);
  if (retyped.length === 0) return;
  // The Unique ID has a column of its own. During the conversion its values are stored with those of the other fields.
  for (const { field } of retyped) {
    if (storageOf(field.type) === 'blobs') await releaseBlobsWithin(db, place, field.id);
    if (storageOf(field.type) === 'column') await inChunks(db, place, fromColumn, [field.id]);
  }
  for await (const tasks of readConversions(db, place, retyped, users)) {
    const rewritten = tasks.flatMap(rewriteTask);
    if (rewritten.length > 0)
      await sql(db, write, [place.workspaceId, place.workflowId, JSON.stringify(rewritten)]);
  }
  for (const { field, wanted } of retyped)
    if (storageOf(wanted.type) === 'column') await inChunks(db, place, toColumn, [field.id]);
}

interface Rewritten {
  readonly id: string;
  /** The ids of the fields that become blank. */
  readonly removed: readonly string[];
  /** New values by field id. */
  readonly added: Readonly<Record<string, Stored>>;
}

/** None if all values stay as they are. */
function rewriteTask({ id, conversions }: ConvertedTask): Rewritten[] {
  const removed: string[] = [];
  const added = new Map<string, Stored>();
  for (const { change, stored, value } of conversions) {
    if (isDeepStrictEqual(stored, value)) continue;
    if (value === undefined || value instanceof Invalid) removed.push(change.field.id);
    else added.set(change.field.id, value);
  }
  const isChanged = removed.length + added.size > 0;
  return isChanged ? [{ id, removed, added: Object.fromEntries(added) }] : [];
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

export interface Typed {
  readonly type: string;
  readonly options: FieldOptions;
}

/**
 * Converts a stored value to another type: reads its JSON as input of the new field. Returns undefined for blank (an
 * unticked checkbox), or `Invalid` with the reason. Nothing is rounded, cut or joined. The rules of the field are not
 * checked, because they apply to new writes only.
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

/** The forms in which a value may be sent to a type of field, the simplest first. */
function spellings(json: Json, to: FieldType): readonly Json[] {
  const own = to.spellings?.(json);
  if (own) return own;
  if (isJsonList(json)) return json.length === 1 ? json : [json];
  return typeof json === 'boolean' ? [json, String(json)] : [json];
}

/** A stored value of a changed field. */
export interface Conversion {
  readonly change: ChangedField;
  readonly stored: Stored;
  /** The value under the new definition; undefined for blank, or the reason why it does not fit. */
  readonly value: Stored | undefined | Invalid;
}

interface ConvertedTask {
  readonly id: string;
  readonly uniqueValue: string | null;
  readonly conversions: readonly Conversion[];
}

/** The values of these fields of all tasks, in order of creation, in batches of at most 5,000 tasks or about 4 MB. */
export async function* readConversions(
  db: EntityManager,
  place: WorkflowPlace,
  fields: readonly ChangedField[],
  usersAfter: Users,
): AsyncGenerator<readonly ConvertedTask[]> {
  const repeated = await findRepeated(db, place, fields);
  const ids = fields.map(({ field }) => field.id);
  for (let after = '0'; ;) {
    const tasks = await sql<StoredTask>(db, read, [place.workspaceId, place.workflowId, after, ids]);
    const last = tasks.at(-1);
    if (!last) return;
    yield tasks.map((task) => ({
      ...task,
      conversions: fields.flatMap((change) => conversionOf(change, task, usersAfter, repeated)),
    }));
    after = last.id;
  }
}

interface StoredTask {
  readonly id: string;
  readonly uniqueValue: string | null;
  /** The values by field id; null if the task has none of these fields. */
  readonly values: Readonly<Record<string, Stored>> | null;
}

function conversionOf(
  change: ChangedField,
  task: StoredTask,
  users: Users,
  repeated: Repeated,
): Conversion[] {
  const { field, wanted } = change;
  const own = storageOf(field.type) === 'column' ? task.uniqueValue : undefined;
  const stored = task.values?.[field.id] ?? own ?? undefined;
  if (stored === undefined) return [];
  if (repeated.get(field.id)?.has(task.id) === true)
    return [{ change, stored, value: new Invalid('has already been taken') }];
  const before = { type: field.type, options: { ...field.settings, users } };
  const after = { type: wanted.type, options: { ...wanted, users } };
  return [{ change, stored, value: convertValue(stored, before, after) }];
}

/** For fields that become the Unique ID, by field id: the tasks whose value an older task has, too. */
type Repeated = ReadonlyMap<string, ReadonlySet<string>>;

async function findRepeated(
  db: EntityManager,
  { workspaceId, workflowId }: WorkflowPlace,
  fields: readonly ChangedField[],
): Promise<Repeated> {
  const repeated = new Map<string, ReadonlySet<string>>();
  for (const change of fields) {
    if (!isRetyped(change) || storageOf(change.wanted.type) !== 'column') continue;
    const { id } = change.field;
    const rows = await sql<{ id: string }>(db, readRepeated, [workspaceId, workflowId, id]);
    repeated.set(id, new Set(rows.map((row) => row.id)));
  }
  return repeated;
}

// Equal values have equal JSON, and would give equal Unique IDs.
const readRepeated = {
  text: `
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY field_values -> $3 ORDER BY id) AS place FROM tasks
      WHERE workspace_id = $1 AND workflow_id = $2 AND field_values ? $3
    ) t
    WHERE place > 1`,
};

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
