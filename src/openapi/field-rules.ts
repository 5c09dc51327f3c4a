import { type Schema } from '../lib/described.js';
import { canonicalDecimal } from '../schema/decimal-text.js';

/** The rules of a field, as far as JSON Schema can say them. */
export function rulesOf({ min, max, pattern, max_length }: Settings): Schema {
  const [minimum, maximum] = [numberOf(min), numberOf(max)];
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(typeof pattern === 'string' && isPortable(pattern) && { pattern }),
    ...(typeof max_length === 'number' && { maxLength: max_length }),
    ...rangeOf(min, max),
  };
}

type Settings = Readonly<Record<string, unknown>>;

/** A bound as a number of JSON; undefined where that could not tell every digit, or it is a time. */
function numberOf(bound: unknown): number | undefined {
  const number = Number(bound);
  const isExact = typeof bound === 'string' && canonicalDecimal(bound) === canonicalDecimal(String(number));
  return isExact ? number : undefined;
}

// For those who send texts, which `minimum` and `maximum` say nothing about.
function rangeOf(min: unknown, max: unknown): Schema {
  const parts = [
    ...(typeof min === 'string' ? [`from ${min}`] : []),
    ...(typeof max === 'string' ? [`up to ${max}`] : []),
  ];
  const [first = '', ...more] = parts.join(' ');
  return parts.length === 0 ? {} : { description: `${first.toUpperCase()}${more.join('')}.` };
}

/** Whether a pattern in RE2 syntax is one of JSON Schema, too. */
function isPortable(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}
