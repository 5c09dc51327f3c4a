import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { NumberLiteral } from '../../../../packages/exact-json/json.js';
import { textType } from '../field-type.js';
import { textRules, textRuleSettings, keepText } from '../text-rules.js';

const MAX_CHARACTERS = 10_000;
const controlButTab = /(?!\t)\p{Control}/u;

/** One line of at most 10,000 characters. A JSON number is stored exactly as it is written. */
export const text = textType(
  Type.Object(textRuleSettings, {
    title: 'Text',
    description: 'One line of up to 10,000 characters.',
    examples: [{ name: 'Subject', max_length: 80 }],
  }),
  {
    ...textRules(MAX_CHARACTERS),
    isSearched: true,
    example: { sent: 'A new desk', shown: 'A new desk' },
    parse(input) {
      const spelled = input instanceof NumberLiteral ? input.text : input;
      if (typeof spelled !== 'string') return new Invalid('is not a text');
      return keepText(spelled, MAX_CHARACTERS, controlButTab);
    },
    ask: ({ max_length: maxLength = MAX_CHARACTERS }) => ({ by: 'line', maxLength }),
    openapiInput: () => ({ type: ['string', 'number', 'null'], maxLength: MAX_CHARACTERS }),
  },
);
