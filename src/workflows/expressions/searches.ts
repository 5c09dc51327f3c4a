import { type Environment } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';
import { own } from './own-functions.js';
import { checkTime } from './time-allowed.js';

/** Registers the functions that go through a text. */
export function registerSearches(environment: Environment): void {
  for (const [signature, search] of signatures)
    environment.registerFunction(signature.replaceAll('#', own), timed(search), { async: false });
}

type Search = (...operands: never[]) => unknown;

const signatures: readonly (readonly [string, Search])[] = [
  ['string.#contains(string): bool', (text: string, part: string) => text.includes(sought(part))],
  ['string.#indexOf(string): int', indexOf],
  ['string.#indexOf(string, int): int', indexOf],
  ['string.#lastIndexOf(string): int', lastIndexOf],
  ['string.#lastIndexOf(string, int): int', lastIndexOf],
  ['string.#split(string): list<string>', (text: string, mark: string) => text.split(sought(mark))],
  ['string.#split(string, int): list<string>', splitSome],
];

function timed(search: Search): Search {
  return (...operands) => {
    checkTime();
    return search(...operands);
  };
}

// The engine's search may take as many steps as both lengths multiplied.
const MAX_SOUGHT = 1_000;

function sought(part: string): string {
  if (part.length <= MAX_SOUGHT) return part;
  throw new ExpressionError('the text to find has more than 1,000 characters');
}

function indexOf(text: string, part: string, from = 0n): bigint {
  return part === '' ? from : BigInt(text.indexOf(sought(part), placeIn(text, from)));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  if (part === '') return from ?? BigInt(text.length);
  return BigInt(text.lastIndexOf(sought(part), from === undefined ? undefined : placeIn(text, from)));
}

function placeIn(text: string, from: bigint): number {
  if (from === 0n || (from > 0 && from < text.length)) return Number(from);
  throw new ExpressionError('the search begins outside the text');
}

/** Splits a text into at most `most` pieces; the last one holds the rest. */
function splitSome(text: string, mark: string, most: bigint): string[] {
  const pieces = text.split(sought(mark));
  if (most < 0 || pieces.length <= most) return pieces;
  return most === 0n ? [] : [...pieces.slice(0, Number(most) - 1), pieces.slice(Number(most) - 1).join(mark)];
}
