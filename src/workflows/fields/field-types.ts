import { type FieldType, type Storage } from './field-type.js';
import { checkbox } from './types/checkbox.js';
import { currency } from './types/currency.js';
import { date } from './types/date.js';
import { datetime } from './types/datetime.js';
import { email } from './types/email.js';
import { file } from './types/file.js';
import { longText } from './types/long-text.js';
import { multipleSelect } from './types/multiple-select.js';
import { number } from './types/number.js';
import { person } from './types/person.js';
import { phone } from './types/phone.js';
import { singleSelect } from './types/single-select.js';
import { text } from './types/text.js';
import { uniqueId } from './types/unique-id.js';
import { url } from './types/url.js';

export const fieldTypes: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['text', text],
  ['longText', longText],
  ['number', number],
  ['currency', currency],
  ['phone', phone],
  ['date', date],
  ['datetime', datetime],
  ['person', person],
  ['singleSelect', singleSelect],
  ['multipleSelect', multipleSelect],
  ['checkbox', checkbox],
  ['uniqueId', uniqueId],
  ['file', file],
  ['email', email],
  ['url', url],
]);

export function typesWhere(holds: (type: FieldType) => boolean): string[] {
  return [...fieldTypes].flatMap(([name, type]) => (holds(type) ? [name] : []));
}

/** Where the values of a type are stored; undefined for an unknown type. */
export function storageOf(type: string): Storage | undefined {
  return fieldTypes.get(type)?.storage;
}

/** Whether a new task without a value for this field gets a number. */
export function isNumbered(field: { readonly type: string }): boolean {
  return fieldTypes.get(field.type)?.numbers?.(field) === true;
}
