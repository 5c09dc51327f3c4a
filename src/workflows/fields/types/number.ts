import { weaker, whenHigher } from '../weaker.js';
import { Decimal } from 'decimal.js';
import Type from 'typebox';
import { canonicalDecimal, decimalPlaces, MAX_CHARACTERS } from '../decimal-text.js';
import { Invalid } from '../invalid.js';
import { type Json, NumberLiteral } from '../../../../packages/exact-json/json.js';
import { boundSettings, bounded } from '../bounds.js';
import { textType } from '../field-type.js';
import { say } from '../../../common/message.js';

/** The most decimal places of a number. */
export const decimals = Type.Optional(
  Type.Integer({
    ...weaker(whenHigher()),
    title: 'Decimals',
    description: 'The most decimal places. Default: any number; for a currency, 2.',
    minimum: 0,
    maximum: 20,
  }),
);

const settings = Type.Object(
  { decimals, ...boundSettings },
  {
    title: 'Number',
    description: 'An exact decimal of up to 38 digits, shown as a text.',
    examples: [{ name: 'Weight', decimals: 3, min: 0 }],
  },
);
const MAX_PLACES = 38;

/** The checks of bounds for numbers. */
export const numberBounds = bounded({
  read: readDecimal,
  compare: (one, other) => new Decimal(one).cmp(other),
  words: {
    min: (bound) => say`must be at least ${bound}`,
    max: (bound) => say`must be at most ${bound}`,
  },
});

/** An exact decimal number of up to 38 digits; `decimals` limits its places. */
export const number = textType(settings, {
  ...numberBounds,
  expressionKind: 'number',
  example: { sent: 12.5, shown: '12.5' },
  parse: (input, { decimals = Infinity }) => readNumber(input, decimals),
  // Ignores `decimals`, which may have been larger before.
  parseFilter: readDecimal,
  lenient: (options) => ({ ...options, decimals: MAX_PLACES }),
  narrows: (from, to) =>
    numberBounds.narrows(from, to) || (to.decimals ?? Infinity) < (from.decimals ?? Infinity),
  show: () => ({ as: 'number' }),
  ask: () => ({ by: 'number' }),
  order: () => ({ by: 'number' }),
  indexedAs: 'number',
  openapi: () => ({ type: ['string', 'null'], format: 'decimal', pattern: '^-?[0-9]+(\\.[0-9]+)?$' }),
  openapiInput: () => ({ type: ['string', 'number', 'null'] }),
});

/** Reads a decimal number with at most this many places. */
export function readNumber(input: Json, decimals: number): string | Invalid {
  const decimal = readDecimal(input);
  if (decimal instanceof Invalid || decimalPlaces(decimal) <= decimals) return decimal;
  return new Invalid(say`has more decimal places than the ${decimals} allowed`);
}

function readDecimal(input: Json): string | Invalid {
  if (input instanceof NumberLiteral) return canonicalDecimal(input.text);
  // Only JSON numbers may have an exponent.
  if (typeof input !== 'string' || (input.length <= MAX_CHARACTERS && /e/i.test(input)))
    return new Invalid('is not a number');
  return canonicalDecimal(input);
}
