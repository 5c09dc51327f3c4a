import { Invalid } from '../invalid.js';
import { plain, textType } from '../field-type.js';
import { keepText } from '../text-rules.js';

const absolute = /^https?:\/\/[^\s\p{Control}/\\?#][^\s\p{Control}]*$/iu;

/** An absolute http(s) URL of at most 2,048 characters, as sent. */
export const url = textType(
  plain(
    'URL',
    'An absolute http or https address of up to 2,048 characters, kept as it was sent.',
    'Website',
  ),
  {
    example: { sent: 'https://acme.test/desk', shown: 'https://acme.test/desk' },
    parse(input) {
      const kept = typeof input === 'string' ? keepText(input, 2_048) : '';
      if (kept instanceof Invalid) return kept;
      return absolute.test(kept) && URL.canParse(kept)
        ? kept
        : new Invalid('is not an absolute http or https URL');
    },
    openapi: () => ({ type: ['string', 'null'], format: 'iri' }),
  },
);
