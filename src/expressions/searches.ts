import { type Environment } from '@marcbachmann/cel-js';
import { pay } from './allowance.js';
import { ExpressionError } from './expression-error.js';
import { own } from './own-functions.js';

/** Registers text searches that charge for their cost. */
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
  throw new ExpressionError('the search begins outside the text');
}

/** Splits a text at each mark into at most `most` pieces; the last one holds the rest. */
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

/** Counts characters, not UTF-16 code units. */
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

/**
 * Finds a text within another from an index on; -1 if it does not occur. It takes linear time (Knuth, Morris and
 * Pratt), where the engine's search may take the product of both lengths.
 */
class Finder {
  /** For each prefix of the wanted text, the length of its longest border. */
  private readonly borders: Int32Array;

  constructor(private readonly wanted: string) {
    const borders = new Int32Array(wanted.length);
    for (let at = 1, matched = 0; at < wanted.length; at += 1) {
      const code = wanted.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === code) matched += 1;
      borders[at] = matched;
    }
    this.borders = borders;
  }

  first(text: string, from = 0): number {
    return this.find(text, from, text.length, false);
  }

  /** The last occurrence that begins at this index or before it. */
  last(text: string, from = text.length): number {
    return this.find(text, 0, Math.min(from + this.wanted.length, text.length), true);
  }

  private find(text: string, from: number, end: number, isLast: boolean): number {
    const { wanted, borders } = this;
    const { length } = wanted;
    if (length === 0) return isLast ? end : from;
    let found = -1;
    for (let at = from, matched = 0; at < end; at += 1) {
      const code = text.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === code) matched += 1;
      if (matched < length) continue;
      found = at - length + 1;
      if (!isLast) break;
      matched = borders[length - 1] ?? 0;
    }
    return found;
  }
}
