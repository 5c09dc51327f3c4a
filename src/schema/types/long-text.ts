import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';
import { keepText } from '../text.js';

/** At most 1,000,000 characters, line breaks and all other characters but NUL kept. */
export const longText = textType({
  parse: (input) => (typeof input === 'string' ? keepText(input, 1_000_000) : new Invalid('is not a text')),
});
