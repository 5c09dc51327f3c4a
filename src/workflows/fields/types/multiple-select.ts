import Type from 'typebox';
import { fieldType } from '../field-type.js';
import { listed } from '../../../common/wording.js';
import { Invalid } from '../invalid.js';
import { isJsonList, type Json } from '../../../../packages/exact-json/json.js';
import { byCodePoint } from '../../../common/text.js';
import { optionSettings, selecting, shownOption } from './single-select.js';
import { say } from '../../../common/message.js';

const settings = Type.Object(optionSettings, {
  title: 'Multiple select',
  description: 'Any number of the `options`, each at most once.',
  examples: [{ name: 'Regions', options: ['EMEA', 'AMER', 'APAC'] }],
});

/**
 * Several options. They are stored in the order of code points, and shown in the order of the definition,
 * with removed options last.
 */
export const multipleSelect = fieldType(settings, {
  ...selecting,
  expressionKind: 'list',
  example: { sent: ['APAC', 'EMEA'], shown: ['EMEA', 'APAC'] },
  blank: [],
  isBlank: (input) => isJsonList(input) && input.length === 0,
  parse: (input, options) =>
    isJsonList(input) ? readOptions(input, options) : new Invalid('is not an array'),
  // A filter accepts a removed option, because tasks can still hold that option.
  parseFilter: (text, options) =>
    options.formerOptions?.includes(text) === true ? [text] : readOptions([text], options),
  serialize: (stored: readonly string[], { options }) => [
    ...options.filter((option) => stored.includes(option)),
    ...stored.filter((option) => !options.includes(option)),
  ],
  show: () => ({ as: 'tags' }),
  ask: ({ options }) => ({ by: 'options', options }),
  order: ({ options }) => ({ by: 'ranks', ranks: options }),
  openapi: ({ options }) => ({
    type: 'array',
    items: shownOption('string', options),
    uniqueItems: true,
  }),
  openapiInput: ({ options }) => ({
    type: ['array', 'null'],
    items: { enum: options },
    uniqueItems: true,
  }),
});

function readOptions(
  list: readonly Json[],
  { options }: { readonly options: readonly string[] },
): string[] | Invalid {
  const longest = options.reduce((length, option) => Math.max(length, option.length), 0);
  // Reads at most `options.length + 1` values. If the list has that many, at least one is wrong or repeated.
  const first = list.slice(0, options.length + 1);
  const isStrange = first.some((item) => typeof item !== 'string' || item.length > longest);
  const sent = new Set(isStrange ? [] : first);
  const chosen = options.filter((option) => sent.has(option));
  if (isStrange || chosen.length < sent.size) return new Invalid(say`is not one of: ${listed(options)}`);
  return sent.size < list.length ? new Invalid('contains an option twice') : chosen.sort(byCodePoint);
}
