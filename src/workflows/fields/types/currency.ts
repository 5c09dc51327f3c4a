import Type from 'typebox';
import { boundSettings } from '../bounds.js';
import { padDecimal, decimals, number, readNumber } from './number.js';
import { textType } from '../field-type.js';

const settings = Type.Object(
  { decimals, ...boundSettings },
  {
    title: 'Currency',
    description: 'An exact amount, shown as a text with all its decimal places.',
    examples: [{ name: 'Budget', decimals: 2, max: 5000 }],
  },
);

/** An amount: a number shown with at least `decimals` places, 2 by default. */
export const currency = textType(settings, {
  ...number,
  example: { sent: 1250, shown: '1250.00' },
  parse: (input, options) => readNumber(input, places(options)),
  show: (options) => ({ as: 'number', decimals: places(options) }),
  serialize: (stored, options) => padDecimal(stored, places(options)),
});

function places({ decimals = 2 }: { readonly decimals?: number }): number {
  return decimals;
}
