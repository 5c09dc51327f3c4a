/** A filled-in template: fixed texts, and values that must never be treated as part of the text. */
export type FilledText = readonly (string | { readonly value: string })[];

/** The whole text. */
export function plainText(text: FilledText): string {
  return joinedText(text, (value) => value);
}

/** The whole text, with each value formatted by `shown`. */
export function joinedText(text: FilledText, shown: (value: string) => string): string {
  return text.map((part) => (typeof part === 'string' ? part : shown(part.value))).join('');
}

/** The text, cut to a maximum number of characters and ended with `…` if it is longer. */
export function cutText(text: FilledText, most: number): FilledText {
  let left = most;
  return text.flatMap((part) => {
    const whole = typeof part === 'string' ? part : part.value;
    if (left <= 0) return [];
    const cut =
      whole.length > left
        ? `${whole
            .slice(0, left - 1)
            .toWellFormed()
            .replace(/\ufffd$/, '')}…`
        : whole;
    left -= whole.length;
    return [typeof part === 'string' ? cut : { value: cut }];
  });
}
