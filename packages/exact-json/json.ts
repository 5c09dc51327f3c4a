/** A number as the text that the request contains. A binary floating-point number would lose digits. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON object as a Map, because names are data and must not become properties of a plain object. */
export type JsonObject = ReadonlyMap<string, Json>;

export type Json = null | boolean | string | NumberLiteral | readonly Json[] | JsonObject;

/** Converts a value of a definition to the form that a parsed request has. */
export function toJson(value: unknown): Json {
  if (typeof value === 'number') return new NumberLiteral(String(value));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return null;
  return new Map(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}

/** Whether a JSON value is an array. `Array.isArray` alone would give the elements the type `any`. */
export function isJsonList(input: Json): input is readonly Json[] {
  return Array.isArray(input);
}

/** Serializes a text. Most texts need no escapes, and a check for escapes is faster than `JSON.stringify`. */
export function textAsJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

const plain = /^[ !#-[\]-~]*$/;

export class JsonText {
  constructor(readonly text: string) {}
}

/** Serializes a value as JSON. Keeps the text of numbers and the order of keys. */
export function writeJson(value: Json): string {
  if (value instanceof NumberLiteral) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(writeJson).join()}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const entries = [...(value as JsonObject)].map(
    ([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`,
  );
  return `{${entries.join()}}`;
}
