import { type FilledText } from '../entities/json-columns.js';

/** All of it as one text. */
export function plainText(text: FilledText): string {
  return joinedText(text, (value) => value);
}

/** All of it as one text, each value as `shown` makes it. */
export function joinedText(text: FilledText, shown: (value: string) => string): string {
  return text.map((part) => (typeof part === 'string' ? part : shown(part.value))).join('');
}

/** At most so many characters of it; what is cut short ends in `…`. */
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
