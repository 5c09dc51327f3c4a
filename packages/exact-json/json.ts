/** A number as the request wrote it, so that binary floating point loses no digit. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON object as a Map, because names are data and must not become properties of a plain object. */
export type JsonObject = ReadonlyMap<string, Json>;

export type Json = null | boolean | string | NumberLiteral | readonly Json[] | JsonObject;

/** A value of a definition as a request would contain it. */
export function toJson(value: unknown): Json {
  if (typeof value === 'number') return new NumberLiteral(String(value));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return null;
  return new Map(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}

/** Whether a JSON value is an array; `Array.isArray` alone would make its elements `any`. */
export function isJsonList(input: Json): input is readonly Json[] {
  return Array.isArray(input);
}

/** A text as JSON. Most texts need no escapes, and checking that is faster than escaping. */
export function textAsJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

const plain = /^[ !#-[\]-~]*$/;

export class JsonText {
  constructor(readonly text: string) {}
}

/** The JSON text of a value, with numbers and the order of keys as they were. */
export function writeJson(value: Json): string {
  if (value instanceof NumberLiteral) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(writeJson).join()}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const entries = [...(value as JsonObject)].map(
    ([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`,
  );
  return `{${entries.join()}}`;
}
