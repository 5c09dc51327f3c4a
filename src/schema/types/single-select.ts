import Type from 'typebox';
import { type FieldOptions, textType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type Json } from '../../lib/json/json.js';

/** The options of a select, in order. */
export const optionSettings = {
  options: Type.Array(
    Type.String({ title: 'Option', description: '1 to 255 characters.', minLength: 1, maxLength: 255 }),
    {
      title: 'Options',
      description: 'singleSelect and multipleSelect: what may be chosen, in order.',
      minItems: 1,
      maxItems: 1000,
    },
  ),
};

/** One of the options; a stored option that the definition no longer has still shows. */
export const singleSelect = textType({
  settings: optionSettings,
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
