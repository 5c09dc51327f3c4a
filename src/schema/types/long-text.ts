import { Invalid } from '../invalid.js';
import { plain, textType } from '../field-type.js';
import { keepText } from '../text-rules.js';

/** At most 1,000,000 characters, line breaks and all other characters but NUL kept. */
export const longText = textType(plain('Long text', 'Several lines, up to 1,000,000 characters.', 'Notes'), {
  example: { sent: 'One line\nand another', shown: 'One line\nand another' },
  parse: (input) => (typeof input === 'string' ? keepText(input, 1_000_000) : new Invalid('is not a text')),
});
