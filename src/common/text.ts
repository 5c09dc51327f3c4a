/** Whether an input is a text without a visible character. Such a text counts as blank. */
export function isBlankText(input: unknown): boolean {
  return typeof input === 'string' && invisible.test(input);
}

const invisible = /^[\s\u0085\u2800\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether a text has no white space at its beginning and end. Zero-width spaces count as white space. */
export function isTrimmed(text: string): boolean {
  return !/^[\s\u0085\u200b\u2060]|[\s\u0085\u200b\u2060]$/.test(text);
}

/** Compares texts by code point, which is the order of their UTF-8 bytes. `<` compares UTF-16 units. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Whether PostgreSQL can store a text: it contains no NUL and no unpaired surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
