/** A number as the request spelled it, so that no digit is lost to binary floating point. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON object as a Map: names are data and never become properties of a plain object. */
export type JsonObject = ReadonlyMap<string, Json>;

/** A JSON value as it stood in a request. */
export type Json = null | boolean | string | NumberLiteral | readonly Json[] | JsonObject;
