import { Invalid } from '../invalid.js';
import { plain, textType } from '../field-type.js';

const phonePattern = /^\(?\+?\d[\d ()./-]*(?:(?:x|ext\.?|#) ?\d+)?(?<! )$/i;

/** What looks like a phone number: 3 or more digits, usual separators, an extension such as `x12`; at most 50 characters. */
export const phone = textType(
  plain('Phone', 'What looks like a phone number, kept as it was sent; up to 50 characters.', 'Phone'),
  {
    example: { sent: '+44 20 7946 0000 x12', shown: '+44 20 7946 0000 x12' },
    parse: (input) =>
      typeof input === 'string' && looksLikePhone(input) ? input : new Invalid('is not a phone number'),
  },
);

function looksLikePhone(text: string): boolean {
  return text.length <= 50 && phonePattern.test(text) && text.replace(/\D/g, '').length >= 3;
}
