import { Invalid } from './invalid.js';
import { type Json } from '../lib/json/json.js';

/** Whether an input is the empty text, which means blank wherever a text is accepted. */
export function isEmptyText(input: Json): boolean {
  return input === '';
}

/**
 * The text itself, or why it cannot be kept: longer than `limit` characters (code points), with a control character that
 * this pattern finds, or not storable unchanged. No search is made in what is too long.
 */
export function keepText(text: string, limit: number, control?: RegExp): string | Invalid {
  if (isLonger(text, limit)) return new Invalid(`is longer than ${limit.toLocaleString('en-US')} characters`);
  if (control?.test(text)) return new Invalid('contains a control character');
  if (!isStorable(text)) return new Invalid('contains a character that cannot be stored');
  return text;
}

/** Orders texts by code point: UTF-8 bytes sort so, UTF-16 units do not. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Whether PostgreSQL can store a text: it has no NUL, and no unpaired surrogates, which have no UTF-8. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Whether a text has more characters (code points) than `limit`; looks no further than it must. */
export function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let spare = text.length - limit;
  // The second half of a pair is no character of its own.
  for (let at = 1; at < text.length && spare > 0; at += 1)
    if ((text.codePointAt(at - 1) ?? 0) > 0xffff) spare -= 1;
  return spare > 0;
}

/** What is wrong with a name, or with another text of one line that people choose. */
export function nameFaults(name: string, longest = 100): string[] {
  return [
    ...(name === '' ? ['is empty'] : []),
    ...(Array.from(name).length > longest ? [`is longer than ${longest} characters`] : []),
    ...(name.trim() !== name ? ['begins or ends with white space'] : []),
    ...(/\p{Control}/u.test(name) ? ['contains a control character'] : []),
    ...(/\p{Surrogate}/u.test(name) ? ['holds an unpaired surrogate'] : []),
  ];
}

/** The places of texts that an earlier one equals, after NFC; empty ones are not compared. */
export function repeatedAt(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, at) => {
    const isRepeated = text !== '' && seen.has(text.normalize('NFC'));
    seen.add(text.normalize('NFC'));
    return isRepeated ? [at] : [];
  });
}
