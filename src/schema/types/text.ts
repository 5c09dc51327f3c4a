import { Invalid } from '../invalid.js';
import { NumberLiteral } from '../../lib/json/json.js';
import { plain, textType } from '../field-type.js';
import { keepText } from '../text-rules.js';

const controlButTab = /(?!\t)\p{Control}/u;

/** One line of at most 10,000 characters; a JSON number is taken as it is spelled. */
export const text = textType(plain('Text', 'One line of up to 10,000 characters.', 'Subject'), {
  example: { sent: 'A new desk', shown: 'A new desk' },
  parse(input) {
    const spelled = input instanceof NumberLiteral ? input.text : input;
    if (typeof spelled !== 'string') return new Invalid('is not a text');
    return keepText(spelled, 10_000, controlButTab);
  },
  openapiInput: () => ({ type: ['string', 'number', 'null'], maxLength: 10_000 }),
});
