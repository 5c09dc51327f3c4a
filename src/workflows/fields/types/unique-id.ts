import { weaker, whenMore } from '../weaker.js';
import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { type Json, NumberLiteral } from '../../../../packages/exact-json/json.js';
import { textType } from '../field-type.js';
import { keepText, textRules, textRuleSettings } from '../text-rules.js';
import { say } from '../../../common/message.js';
import { isTrimmed } from '../../../common/text.js';

const integer = /^(?:0|-?[1-9]\d*)$/;
// Values that no URL can name: `/tasks/active` is another route, and clients resolve `.` and `..` in paths.
const unaddressable = ['active', '.', '..'];

const MAX_CHARACTERS = 255;
const rules = textRules(MAX_CHARACTERS);

const settings = Type.Object(
  {
    autoincrement: Type.Optional(
      Type.Boolean({
        ...weaker(whenMore),
        title: 'Autoincrement',
        description: 'A new task without a value gets the next number.',
        default: false,
      }),
    ),
    ...textRuleSettings,
  },
  {
    title: 'Unique ID',
    description:
      'Identifies the task in paths. 1 to 255 characters. A workflow can have only one such field.',
    examples: [{ name: 'Number', autoincrement: true }],
  },
);

/**
 * A text of 1 to 255 characters that names a task in paths. An integer is stored as the text of its digits.
 * Values are compared by code points.
 */
export const uniqueId = textType(settings, {
  ...rules,
  settingFaults: (own) =>
    own.autoincrement === true && own.pattern !== undefined
      ? [{ key: 'pattern', message: 'cannot be combined with autoincrement' }]
      : rules.settingFaults(own),
  isSearched: true,
  example: { sent: 42, shown: '42' },
  storage: 'column',
  indexedAs: undefined,
  takesDefault: false,
  numbers: ({ autoincrement }) => autoincrement === true,
  parse(input) {
    const text = spelling(input);
    if (text === undefined) return new Invalid('is not a text or an integer');
    if (unaddressable.includes(text)) return new Invalid(say`cannot be ${text}`);
    const kept = keepText(text, MAX_CHARACTERS, /\p{Control}/u);
    if (kept instanceof Invalid || isTrimmed(kept)) return kept;
    return new Invalid('begins or ends with white space');
  },
  ask: () => ({ by: 'line', maxLength: MAX_CHARACTERS }),
  openapiInput: () => ({ type: ['string', 'integer', 'null'], maxLength: MAX_CHARACTERS }),
});

function spelling(input: Json): string | undefined {
  if (input instanceof NumberLiteral)
    return input.text.length > MAX_CHARACTERS || integer.test(input.text) ? input.text : undefined;
  return typeof input === 'string' ? input : undefined;
}
