import { Invalid } from './invalid.js';
import { type Json } from './json.js';

/** Whether an input is the empty text, which means blank wherever a text is accepted. */
export function isEmptyText(input: Json): boolean {
  return input === '';
}

/** The text itself, or why it cannot be kept: longer than `limit` characters (code points), or not storable unchanged. */
export function keepText(text: string, limit: number): string | Invalid {
  if (isLonger(text, limit)) return new Invalid(`is longer than ${limit.toLocaleString('en-US')} characters`);
  if (unstorable.test(text)) return new Invalid('contains a character that cannot be stored');
  return text;
}

/** Orders texts by code point: UTF-8 bytes sort so, UTF-16 units do not. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** What PostgreSQL cannot store: NUL, and unpaired surrogates, which have no UTF-8. */
export const unstorable = /[\0\p{Surrogate}]/u;

function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || Array.from(text).length > limit;
}
