import { type Json, type JsonObject } from '../schema/json.js';
import { type Property } from '../schema/property.js';
import { readJson } from '../schema/read-json.js';
import { type TaskSchema } from '../schema/task-schema.js';

/** The keys of a CSV file's columns; throws when one is no key of the workflow's tasks, or stands there twice. */
export function readHeader(
  { byName }: TaskSchema,
  names: readonly string[],
): readonly (Property | undefined)[] {
  const unknown = names.filter((name) => !name.startsWith(remark) && !byName.has(name));
  if (unknown.length > 0) throw new Error(`its columns are no fields of the workflow: ${unknown.join(', ')}`);
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  if (repeated.length > 0) throw new Error(`it has two columns of one name: ${repeated.join(', ')}`);
  return names.map((name) => byName.get(name));
}

/** What a column's or key's name begins with that is not a part of the task, but a remark on it. */
export const remark = '_';

/**
 * A row as a payload. An empty cell is blank; several options stand with semicolons between them; an array, and a link,
 * is JSON. Throws `JsonRefusal` where that is none.
 */
export function payloadOf(header: readonly (Property | undefined)[], cells: readonly string[]): JsonObject {
  const payload = new Map<string, Json>();
  for (const [at, property] of header.entries())
    if (property) payload.set(property.name, valueOf(property, cells[at] ?? ''));
  return payload;
}

function valueOf(property: Property, cell: string): Json {
  const isList = property.links ? property.links.isMultiple : Array.isArray(property.serialize(noTask));
  if (cell === '') return isList ? [] : null;
  if (property.links ?? (isList && cell.startsWith('['))) return readJson(Buffer.from(cell), limits);
  return isList ? cell.split(';').map((option) => option.trim()) : cell;
}

const limits = { depth: 32, keys: 2000 };
const noTask = {
  publicId: '',
  uniqueValue: null,
  stageId: 0,
  assigneeId: null,
  fieldValues: {},
  version: 0,
  linked: [],
};
