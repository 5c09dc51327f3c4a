import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';
import { keepText } from '../text.js';

const absolute = /^https?:\/\/[^\s\p{Control}/\\?#][^\s\p{Control}]*$/iu;

/** An absolute http(s) URL of at most 2,048 characters, as sent. */
export const url = textType({
  parse(input) {
    const kept = typeof input === 'string' ? keepText(input, 2_048) : '';
    if (kept instanceof Invalid) return kept;
    return absolute.test(kept) && URL.canParse(kept)
      ? kept
      : new Invalid('is not an absolute http or https URL');
  },
  openapi: () => ({ type: ['string', 'null'], format: 'iri' }),
});
