import { type JsonMapping, type JsonValue } from './json-value.js';
import { placeOf, takePlace } from './place.js';

/** The value of an entry, every number as the text that spells it, so that no digit is lost. */
export function readExact(holder: JsonMapping | JsonValue[], key: string | number): JsonValue {
  const value = Array.isArray(holder) ? holder[Number(key)] : holder[key];
  if (typeof value === 'number') return placeOf(holder)?.entries.get(key)?.digits ?? String(value);
  if (!Array.isArray(value)) return value ?? null;
  return takePlace(
    value,
    value.map((_, index) => readExact(value, index)),
  );
}
