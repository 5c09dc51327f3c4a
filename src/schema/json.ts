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
