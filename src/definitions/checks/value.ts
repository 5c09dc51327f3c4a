import { type Users } from '../../schema/field-type.js';
import { fieldTypes } from '../../schema/field-types.js';
import { Invalid } from '../../schema/invalid.js';
import { toJson } from '../../schema/json.js';
import { parseValue } from '../../schema/parse-value.js';
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
  const parsed = type && parseValue(type, toJson(value), { ...field, users });
  if (parsed instanceof Invalid) report(holder, key, parsed.message);
}
