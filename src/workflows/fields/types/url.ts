import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';
import { textRules, textRuleSettings, keepText } from '../text-rules.js';
import { readUrl } from '../../../../packages/safe-http/read-url.js';

const MAX_CHARACTERS = 2048;
const absolute = /^https?:\/\/[^\s\p{Control}/\\?#][^\s\p{Control}]*$/iu;

/** An absolute http(s) URL of at most 2,048 characters, in NFC and otherwise kept as it was sent. */
export const url = textType(
  Type.Object(textRuleSettings, {
    title: 'URL',
    description: 'An absolute http or https address of up to 2,048 characters, kept as it was sent.',
    examples: [{ name: 'Website', pattern: '^https:' }],
  }),
  {
    ...textRules(MAX_CHARACTERS),
    isSearched: true,
    example: { sent: 'https://acme.test/desk', shown: 'https://acme.test/desk' },
    parse(input) {
      const kept = typeof input === 'string' ? keepText(input, MAX_CHARACTERS) : '';
      if (kept instanceof Invalid) return kept;
      return absolute.test(kept) && readUrl(kept)
        ? kept
        : new Invalid('is not a web address that begins with https:// or http://');
    },
    show: () => ({ as: 'address' }),
    ask: () => ({ by: 'line', type: 'url', maxLength: MAX_CHARACTERS }),
    openapi: () => ({ type: ['string', 'null'], format: 'iri' }),
  },
);
