import { padDecimal } from '../decimal-text.js';
import { type FieldOptions, textType } from '../field-type.js';
import { number, readNumber } from './number.js';

/** An amount: a number that is shown with exactly `decimals` places (2 unless said). */
export const currency = textType({
  ...number,
  parse: (input, options) => readNumber(input, places(options)),
  serialize: (stored, options) => padDecimal(stored, places(options)),
});

function places({ decimals = 2 }: FieldOptions): number {
  return decimals;
}
