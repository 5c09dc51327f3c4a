/**
 * A text in Unicode's form NFC, in which equal texts are equal. Sorting the marks of one letter takes quadratic time, so
 * after each 30 of them comes a joiner that is not seen, as in the stream-safe form of UAX #15.
 */
export function toNfc(text: string): string {
  if (!mayChange.test(text)) return text;
  const composed = text.replace(manyMarks, '$&\u034f').normalize('NFC');
  return composed === text ? text : toNfc(composed);
}

// Punctuation, from U+2002 on, never changes.
const mayChange = /[\u0300-\u2001\u20d0-\uffff]/;
const manyMarks = /[^\P{M}\u034f]{30}(?=[^\P{M}\u034f])/gu;
