import { type JsonMapping, type JsonValue } from './json-value.js';
import { takePlace } from './place.js';

// Readers of plain values that the schema may have refused already: what is of another shape reads as empty.

type Plain = JsonValue | undefined;

/** The mapping itself, or an empty one. */
export function asMapping(value: Plain): JsonMapping {
  return isMapping(value) ? value : {};
}

export function isMapping(value: Plain): value is JsonMapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asText(value: Plain): string {
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

export function asTexts(value: Plain): string[] {
  return Array.isArray(value) ? takePlace(value, value.map(asText)) : [];
}

export function asFlag(value: Plain, otherwise: boolean): boolean {
  return typeof value === 'boolean' ? value : otherwise;
}

/** One of these, or the first. */
export function asChoice<T extends string>(value: Plain, [first, ...others]: readonly [T, ...T[]]): T {
  return others.find((choice) => choice === value) ?? first;
}

/** A list of mappings, each read alike; the list and its elements stand where the originals stood. */
export function asMappings<T extends object>(
  value: Plain,
  read: (mapping: JsonMapping) => T | undefined,
): T[] {
  if (!Array.isArray(value)) return [];
  const made = value.filter(isMapping).flatMap((mapping) => {
    const element = read(mapping);
    return element ? [takePlace(mapping, element)] : [];
  });
  return takePlace(value, made);
}

/** `{ [key]: read(value) }` if there is a value, to be spread into a definition. */
export function optional<K extends string, T>(
  key: K,
  value: Plain,
  read: (value: JsonValue) => T | undefined,
): { [P in K]?: T } {
  const made = value === undefined ? undefined : read(value);
  const entry: { [P in K]?: T } = {};
  if (made !== undefined) entry[key] = made;
  return entry;
}

export function asNumber(value: Plain): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
