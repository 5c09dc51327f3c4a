import { type Environment } from '@marcbachmann/cel-js';
import { pay } from './allowance.js';
import { ExpressionError } from './expression-error.js';
import { Finder } from './find.js';
import { own } from './own-functions.js';

/** Teaches the environment searches in texts that pay for what they cost. */
export function registerSearches(environment: Environment): void {
  for (const [signature, handler] of signatures)
    environment.registerFunction(signature.replaceAll('#', own), handler, { async: false });
}

const signatures: readonly (readonly [string, (...operands: never[]) => unknown])[] = [
  ['string.#contains(string): bool', (text: string, wanted: string) => indexOf(text, wanted) >= 0n],
  ['string.#indexOf(string): int', indexOf],
  ['string.#indexOf(string, int): int', indexOf],
  ['string.#lastIndexOf(string): int', lastIndexOf],
  ['string.#lastIndexOf(string, int): int', lastIndexOf],
  ['string.#split(string): list<string>', (text: string, mark: string) => split(text, mark)],
  ['string.#split(string, int): list<string>', splitSome],
  ['string.#size(): int', sizeOfText],
  ['list.#size(): int', sizeOfList],
  ['map.#size(): int', sizeOfMap],
  ['#size(string): int', sizeOfText],
  ['#size(list): int', sizeOfList],
  ['#size(map): int', sizeOfMap],
];

function finder(text: string, wanted: string): Finder {
  pay((text.length + wanted.length) / 16);
  return new Finder(wanted);
}

function indexOf(text: string, wanted: string, from?: bigint): bigint {
  return from !== undefined && wanted === ''
    ? from
    : BigInt(finder(text, wanted).first(text, place(text, from)));
}

function lastIndexOf(text: string, wanted: string, from?: bigint): bigint {
  return from !== undefined && wanted === ''
    ? from
    : BigInt(finder(text, wanted).last(text, place(text, from)));
}

function place(text: string, from: bigint | undefined): number | undefined {
  if (from === undefined) return undefined;
  if (from >= 0 && from < text.length) return Number(from);
  throw new ExpressionError('the search begins outside of the text');
}

/** The pieces between the marks; of at most so many, the last holds all the rest. */
function split(text: string, mark: string, most = Infinity): string[] {
  const marks = finder(text, mark);
  const pieces: string[] = [];
  let start = 0;
  while (pieces.length < most - 1) {
    const end = mark === '' ? start + 1 : marks.first(text, start);
    if (end < 0 || (mark === '' && end >= text.length)) break;
    pay(2);
    pieces.push(text.slice(start, end));
    start = end + mark.length;
  }
  return mark === '' && text === '' ? pieces : [...pieces, text.slice(start)];
}

function splitSome(text: string, mark: string, most: bigint): string[] {
  return most === 0n ? [] : split(text, mark, most < 0 ? Infinity : Number(most));
}

/** In characters, not in halves of surrogate pairs. */
function sizeOfText(text: string): bigint {
  pay(text.length / 8);
  let size = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) size += 1;
  return BigInt(size);
}

function sizeOfList(list: readonly unknown[]): bigint {
  return BigInt(list.length);
}

function sizeOfMap(map: object): bigint {
  return BigInt(map instanceof Map ? map.size : Object.keys(map).length);
}
