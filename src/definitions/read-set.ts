import { type JsonValue } from './json-value.js';
import { takePlace } from './place.js';
import { readExact } from './read-exact.js';
import { asMapping, asText, isMapping } from './shape.js';
import { type SetDefinition, type SetValue } from './step-definition.js';

/** Reads the values that a step sets. */
export function readSet(value: JsonValue | undefined): SetDefinition {
  const raw = asMapping(value);
  const entries = Object.keys(raw).map((name): [string, SetValue] => [name, readValue(readExact(raw, name))]);
  return takePlace(raw, Object.fromEntries(entries));
}

function readValue(value: JsonValue): SetValue {
  if (Array.isArray(value)) return takePlace(value, value.map(asText));
  if (isMapping(value)) return takePlace(value, { expression: asText(value.expression) });
  return typeof value === 'number' ? String(value) : value;
}
