import { isSameValue } from './same-value.js';

// They say what one apply does to the element, not what the element is.
const instructions = new Set(['was', 'move_tasks_to']);

/** What differs between two versions of an element: `type from text to longText, options`; empty if nothing does. */
export function differences(stored: object, merged: object): string {
  const before = new Map<string, unknown>(Object.entries(stored));
  const after = new Map<string, unknown>(Object.entries(merged));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !instructions.has(key) && !isSameValue(before.get(key), after.get(key)))
    .map((key) => describe(key, before.get(key), after.get(key)))
    .join(', ');
}

function describe(key: string, before: unknown, after: unknown): string {
  return isScalar(before) && isScalar(after) ? `${key} from ${String(before)} to ${String(after)}` : key;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
