import { type Environment } from '@marcbachmann/cel-js';
import { Decimal } from 'decimal.js';
import { compilePattern, type Pattern, PatternError } from '../../common/pattern.js';
import { boundedDecimal, decimal, exact } from './decimal.js';
import { ExpressionError, TakesTooLong } from './expression-error.js';
import { checkTime } from './time-allowed.js';

/** The prefix in the names of the service's own functions. People write the names without the prefix. */
export const own = '__';

/** Functions that the library lacks, or that take too long in the library with large operands. */
export const ownFunctions: ReadonlySet<string> = new Set(['min', 'max', 'sum']);
export const ownMethods: ReadonlySet<string> = new Set(['contains', 'indexOf', 'split']);

export function registerOwnFunctions(environment: Environment): void {
  for (const [signature, handler] of signatures)
    environment.registerFunction(signature.replace('#', own), timed(handler), { async: false });
}

type Handler = (...operands: never[]) => unknown;

const signatures: readonly (readonly [string, Handler])[] = [
  ['#min(list): dyn', (list: readonly unknown[]) => extreme('min', list, (order) => order < 0)],
  ['#max(list): dyn', (list: readonly unknown[]) => extreme('max', list, (order) => order > 0)],
  ['#sum(list): decimal', sum],
  ['string.#contains(string): bool', (text: string, part: string) => text.includes(sought(part))],
  ['string.#indexOf(string): int', indexOf],
  ['string.#indexOf(string, int): int', indexOf],
  ['string.#split(string): list<string>', (text: string, mark: string) => text.split(sought(mark))],
  ['#matches(string, string): bool', matches],
  ['string.#matches(string): bool', matches],
];

function timed(handler: Handler): Handler {
  return (...operands) => {
    checkTime();
    return handler(...operands);
  };
}

// `sum`, `min` and `max` ignore blank members.

function sum(list: readonly unknown[]): Decimal {
  return members(list)
    .map((member) => number(member) ?? refuse('sum() takes numbers'))
    .reduce((total, member) => boundedDecimal(total.plus(member)), decimal(0n));
}

/** The least or the greatest member, as `isBefore` decides; null if no member has a value. */
function extreme(
  name: string,
  list: readonly unknown[],
  isBefore: (order: number) => boolean,
): string | Decimal | null {
  const known = members(list).map((member) => (typeof member === 'string' ? member : number(member)));
  let found: string | Decimal | null = null;
  for (const member of known) {
    const order = found === null ? undefined : compare(member, found);
    if (member === undefined || (found !== null && order === undefined))
      refuse(`${name}() takes numbers, or texts`);
    if (order === undefined || isBefore(order)) found = member;
  }
  return found;
}

function compare(a: string | Decimal | undefined, b: string | Decimal): number | undefined {
  if (a instanceof Decimal && b instanceof Decimal) return a.comparedTo(b);
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  return a < b ? -1 : Number(a > b);
}

function members(list: readonly unknown[]): unknown[] {
  return list.filter((member) => member !== null);
}

function number(member: unknown): Decimal | undefined {
  return typeof member === 'bigint' || member instanceof Decimal ? exact(member) : undefined;
}

function refuse(message: string): never {
  throw new ExpressionError(message);
}

// In the worst case, a search compares each character of `text` with each character of `part`.
const MAX_SOUGHT = 1_000;

function sought(part: string): string {
  return part.length <= MAX_SOUGHT ? part : refuse('the text to find has more than 1,000 characters');
}

function indexOf(text: string, part: string, from = 0n): bigint {
  return part === '' ? from : BigInt(text.indexOf(sought(part), placeIn(text, from)));
}

function placeIn(text: string, from: bigint): number {
  if (from === 0n || (from > 0 && from < text.length)) return Number(from);
  return refuse('the search begins outside the text');
}

/** The maximum number of instructions of all patterns in one expression together. */
export const MAX_INSTRUCTIONS = 500;

/** Compiles a pattern of matches(); throws `ExpressionError` with the reason if the pattern is invalid. */
export function patternOf(source: string): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw new ExpressionError(`a pattern ${error.message}`);
    throw error;
  }
}

// The number of a pattern's instructions, multiplied by the length of the text, must not exceed this limit. A
// match then takes at most about 10 ms.
const MAX_STEPS = 1_000_000;

function matches(text: string, source: string): boolean {
  const pattern = patternOf(source);
  if (text.length * pattern.instructions > MAX_STEPS) throw new TakesTooLong();
  return pattern.isIn(text);
}
