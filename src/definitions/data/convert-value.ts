import { type FieldOptions, type Stored } from '../../schema/field-type.js';
import { fieldTypes } from '../../schema/field-types.js';
import { Invalid } from '../../schema/invalid.js';
import { isJsonList } from '../../schema/json-list.js';
import { type Json, toJson } from '../../schema/json.js';
import { parseValue } from '../../schema/parse-value.js';

/** A type of field with what the definition says about it. */
export interface Typed {
  readonly type: string;
  readonly options: FieldOptions;
}

/**
 * A stored value as a field of another type keeps it: what a response shows of it, sent to that field. Undefined is
 * blank (an unticked checkbox), `Invalid` says why it does not fit. Nothing is ever rounded, cut or joined.
 */
export function convertValue(stored: Stored, from: Typed, to: Typed): Stored | undefined | Invalid {
  const [before, after] = [fieldTypes.get(from.type), fieldTypes.get(to.type)];
  if (!before || !after) throw new Error(`no field type ${from.type} or ${to.type}`);
  const read = spellings(toJson(before.serialize(stored, from.options)), to.type).map((json) =>
    parseValue(after, json, to.options),
  );
  const fitting = read.findIndex((value) => !(value instanceof Invalid));
  return read[Math.max(fitting, 0)];
}

/** The ways in which one value may be sent to a field of a type, the plainest first. */
function spellings(json: Json, type: string): Json[] {
  if (isJsonList(json)) return type !== 'multipleSelect' && json.length === 1 ? [...json] : [json];
  if (typeof json === 'boolean') return [json, String(json)];
  if (typeof json !== 'string') return [json];
  // A day is its midnight in UTC, and a midnight in UTC its day.
  if (type === 'datetime') return [json, `${json}${midnight}`];
  if (type === 'date') return [json, json.replace(midnight, '')];
  return type === 'multipleSelect' ? [[json]] : [json];
}

const midnight = 'T00:00:00.000Z';
