import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';
import { textRules, textRuleSettings } from '../text-rules.js';

const MAX_CHARACTERS = 50;
const phonePattern = /^\(?\+?\d[\d ()./-]*(?:(?:x|ext\.?|#) ?\d+)?(?<! )$/i;

/** A phone number: 3 or more digits and usual separators, optionally with an extension such as `x12`. */
export const phone = textType(
  Type.Object(textRuleSettings, {
    title: 'Phone',
    description: 'A phone number, kept as it was sent; up to 50 characters.',
    examples: [{ name: 'Phone', pattern: '^[+]' }],
  }),
  {
    ...textRules(MAX_CHARACTERS),
    isSearched: true,
    example: { sent: '+44 20 7946 0000 x12', shown: '+44 20 7946 0000 x12' },
    parse: (input) =>
      typeof input === 'string' && looksLikePhone(input)
        ? input
        : new Invalid('is not a phone number such as +44 20 7946 0000'),
    show: () => ({ as: 'address', scheme: 'tel:' }),
    ask: () => ({ by: 'line', type: 'tel', maxLength: MAX_CHARACTERS }),
  },
);

function looksLikePhone(text: string): boolean {
  return text.length <= MAX_CHARACTERS && phonePattern.test(text) && text.replace(/\D/g, '').length >= 3;
}
