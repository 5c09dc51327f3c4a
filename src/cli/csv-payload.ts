import { type Json, type JsonObject } from '../schema/json.js';
import { type Property } from '../schema/property.js';
import { readJson } from '../schema/read-json.js';
import { type TaskSchema } from '../schema/task-schema.js';

/** A column of a CSV file that holds a key of the tasks. */
export interface Column {
  readonly property: Property;
  /** Whether its values are arrays. */
  readonly isList: boolean;
}

/**
 * The columns of a CSV file, `undefined` where one holds remarks; throws when one is no key of the workflow's tasks, or
 * stands there twice.
 */
export function readHeader(
  { byName, stages }: TaskSchema,
  names: readonly string[],
): readonly (Column | undefined)[] {
  const unknown = names.filter((name) => !name.startsWith(remark) && !byName.has(name));
  if (unknown.length > 0) throw new Error(`its columns are no fields of the workflow: ${unknown.join(', ')}`);
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  if (repeated.length > 0) throw new Error(`it has two columns of one name: ${repeated.join(', ')}`);
  const blank = { ...blankTask, stageId: stages.initial.id };
  return names.map((name) => {
    const property = byName.get(name);
    return (
      property && { property, isList: property.links?.isMultiple ?? Array.isArray(property.serialize(blank)) }
    );
  });
}

const blankTask = {
  publicId: '',
  uniqueValue: null,
  assigneeId: null,
  fieldValues: {},
  version: 0,
  linked: [],
};

/** What a column's or key's name begins with that is not a part of the task, but a remark on it. */
export const remark = '_';

/**
 * A row as a payload. An empty cell is blank; several options stand with semicolons between them; an array, and a link,
 * is JSON. Throws `JsonRefusal` where that is none.
 */
export function payloadOf(header: readonly (Column | undefined)[], cells: readonly string[]): JsonObject {
  const payload = new Map<string, Json>();
  for (const [at, column] of header.entries())
    if (column) payload.set(column.property.name, valueOf(column, cells[at] ?? ''));
  return payload;
}

function valueOf({ property, isList }: Column, cell: string): Json {
  if (cell === '') return isList ? [] : null;
  if (property.links ?? (isList && cell.startsWith('['))) return readJson(Buffer.from(cell), limits);
  return isList ? cell.split(';').map((option) => option.trim()) : cell;
}

const limits = { depth: 32, keys: 2000 };
