import { type Users } from '../../schema/field-type.js';
import { fieldTypes } from '../../schema/field-types.js';
import { Invalid } from '../../schema/invalid.js';
import { type Json, NumberLiteral } from '../../schema/json.js';
import { type FieldDefinition } from '../definition.js';
import { type JsonValue } from '../json-value.js';
import { type Report } from './report.js';

/** Reports why a constant cannot be a value of the field; blank is for the task to judge. */
export function checkValue(
  holder: object,
  key: string | number,
  value: JsonValue,
  field: FieldDefinition,
  users: Users,
  report: Report,
): void {
  const type = fieldTypes.get(field.type);
  const input = toJson(value);
  if (!type || input === null || type.isBlank(input)) return;
  const parsed = type.parse(input, { ...field, users });
  if (parsed instanceof Invalid) report(holder, key, parsed.message);
}

function toJson(value: JsonValue): Json {
  if (typeof value === 'number') return new NumberLiteral(String(value));
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toJson);
  return new Map(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}
