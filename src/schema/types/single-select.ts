import { type FieldOptions } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type Json } from '../json.js';
import { textType } from '../text-type.js';

/** One of the options; a stored option that the definition no longer has still shows. */
export const singleSelect = textType({
  parse: readOption,
  // Tasks may still hold what was once an option.
  parseFilter: (text, options) =>
    options.formerOptions?.includes(text) === true ? text : readOption(text, options),
  order: ({ options = [] }) => ({ by: 'rank', ranks: options }),
  // What was once an option may still be shown.
  openapi: ({ options = [] }) => ({ anyOf: [{ enum: options }, { type: ['string', 'null'] }] }),
  openapiInput: ({ options = [] }) => ({ enum: [...options, null] }),
});

function readOption(input: Json, { options = [] }: FieldOptions): string | Invalid {
  return typeof input === 'string' && options.includes(input)
    ? input
    : new Invalid(`is not one of: ${options.join(', ')}`);
}
