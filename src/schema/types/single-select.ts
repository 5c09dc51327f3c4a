import { Invalid } from '../invalid.js';
import { textType } from '../text-type.js';

/** One of the options; a stored option that the definition no longer has still shows. */
export const singleSelect = textType({
  parse: (input, { options = [] }) =>
    typeof input === 'string' && options.includes(input)
      ? input
      : new Invalid(`is not one of: ${options.join(', ')}`),
  order: ({ options = [] }) => ({ by: 'rank', ranks: options }),
  // What was once an option may still be shown.
  openapi: ({ options = [] }) => ({ anyOf: [{ enum: options }, { type: ['string', 'null'] }] }),
  openapiInput: ({ options = [] }) => ({ enum: [...options, null] }),
});
