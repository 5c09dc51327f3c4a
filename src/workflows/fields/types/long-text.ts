import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';
import { textRules, textRuleSettings, keepText } from '../text-rules.js';

const MAX_CHARACTERS = 200_000;

/** A text of at most 200,000 characters, on one or more lines. NUL and unpaired surrogates are refused. */
export const longText = textType(
  Type.Object(textRuleSettings, {
    title: 'Long text',
    description: 'Several lines, up to 200,000 characters.',
    examples: [{ name: 'Notes', max_length: 2000 }],
  }),
  {
    ...textRules(MAX_CHARACTERS),
    isSearched: true,
    example: { sent: 'One line\nand another', shown: 'One line\nand another' },
    parse: (input) =>
      typeof input === 'string' ? keepText(input, MAX_CHARACTERS) : new Invalid('is not a text'),
    show: () => ({ as: 'lines' }),
    ask: ({ max_length: maxLength = MAX_CHARACTERS }) => ({ by: 'lines', maxLength }),
  },
);
