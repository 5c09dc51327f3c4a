import { type FieldOptions, type FieldType, type Stored } from './field-type.js';
import { type Invalid } from './invalid.js';
import { type Json } from './json.js';

/** Reads an input of a field; `undefined` is blank, which no type is asked about. */
export function parseValue(
  type: FieldType,
  input: Json,
  options: FieldOptions,
): Stored | undefined | Invalid {
  return input === null || type.isBlank(input) ? undefined : type.parse(input, options);
}

/** Reads the text of a filter; `null` is blank. */
export function parseFilterValue(
  type: FieldType,
  text: string,
  options: FieldOptions,
): Stored | null | Invalid {
  return text === '' ? null : (type.parseFilter(text, options) ?? null);
}
