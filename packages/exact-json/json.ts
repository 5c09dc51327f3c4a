/** A number as the request spelled it, so that no digit is lost to binary floating point. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON object as a Map: names are data and never become properties of a plain object. */
export type JsonObject = ReadonlyMap<string, Json>;

/** A JSON value as it stood in a request. */
export type Json = null | boolean | string | NumberLiteral | readonly Json[] | JsonObject;

/** A value of a definition as a request would have sent it. */
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

/** A text as JSON. Most need no escapes, and to see that takes less than to look for them. */
export function textAsJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

const plain = /^[ !#-[\]-~]*$/;

/** A value that is JSON already. */
export class JsonText {
  constructor(readonly text: string) {}
}

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
