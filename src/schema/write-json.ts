import { type Json, type JsonObject, NumberLiteral } from './json.js';

/** The JSON text of a value, its numbers as they were spelled and its keys in their order. */
export function writeJson(value: Json): string {
  if (value instanceof NumberLiteral) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(writeJson).join()}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const entries = [...(value as JsonObject)].map(
    ([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`,
  );
  return `{${entries.join()}}`;
}
