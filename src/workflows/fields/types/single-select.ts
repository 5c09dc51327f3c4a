import { weaker, whenOthers } from '../weaker.js';
import Type from 'typebox';
import { textType } from '../field-type.js';
import { listed } from '../../../common/wording.js';
import { Invalid, type SettingFault } from '../invalid.js';
import { type Json } from '../../../../packages/exact-json/json.js';
import { nameFaults, repeatedAt } from '../text-rules.js';
import { say } from '../../../common/message.js';

export const optionSettings = {
  options: Type.Array(
    Type.String({ title: 'Option', description: '1 to 255 characters.', minLength: 1, maxLength: 255 }),
    {
      ...weaker(whenOthers),
      title: 'Options',
      description: 'The choices, in order.',
      minItems: 1,
      maxItems: 1000,
    },
  ),
};

const settings = Type.Object(optionSettings, {
  title: 'Single select',
  description: 'One of the `options`.',
  examples: [{ name: 'Tier', options: ['Gold', 'Silver'] }],
});

export const selecting = {
  settingFaults({ options }: Settings): SettingFault[] {
    const named = options.flatMap((option, index) =>
      nameFaults(option, 255).map((message) => ({ key: 'options', index, message })),
    );
    const repeated = repeatedAt(options).map((index) => ({
      key: 'options',
      index,
      message: 'is given twice',
    }));
    return [...named, ...repeated];
  },
  /** A payload may repeat a removed option that the task already has. */
  lenient: <Options extends Settings>(options: Options, stored: string | readonly string[]): Options => ({
    ...options,
    options: [...new Set([...options.options, ...[stored].flat()])],
  }),
};

type Settings = Readonly<{ options: readonly string[] }>;

/**
 * The schema of an option in a response. A response may also contain an option that was removed, or that is
 * added later.
 */
export const shownOption = (type: string | string[], options: readonly string[]): object => ({
  type,
  description: 'Other options may be added.',
  'x-extensible-enum': options,
});

/** One of the options; a stored option that was removed is still shown. */
export const singleSelect = textType(settings, {
  ...selecting,
  example: { sent: 'Gold', shown: 'Gold' },
  parse: readOption,
  // A filter accepts a removed option, because tasks can still hold that option.
  parseFilter: (text, options) =>
    options.formerOptions?.includes(text) === true ? text : readOption(text, options),
  show: () => ({ as: 'tags' }),
  ask: ({ options }) => ({ by: 'option', options }),
  order: ({ options }) => ({ by: 'rank', ranks: options }),
  indexedAs: 'exact',
  openapi: ({ options }) => shownOption(['string', 'null'], options),
  openapiInput: ({ options }) => ({ enum: [...options, null] }),
});

function readOption(input: Json, { options }: Settings): string | Invalid {
  return typeof input === 'string' && options.includes(input)
    ? input
    : new Invalid(say`is not one of: ${listed(options)}`);
}
