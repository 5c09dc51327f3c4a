/** A JSON value as definitions hold it; the keys of objects are data, so read them with `Object.entries`. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonMapping;

export type JsonMapping = { [key: string]: JsonValue };
