import { weaker, whenHigher } from '../weaker.js';
import { Decimal } from 'decimal.js';
import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { type Json, NumberLiteral } from '../../../../packages/exact-json/json.js';
import { boundSettings, bounded } from '../bounds.js';
import { textType } from '../field-type.js';
import { say } from '../../../common/message.js';

export const decimals = Type.Optional(
  Type.Integer({
    ...weaker(whenHigher()),
    title: 'Decimals',
    description: 'The maximum number of decimal places. Default: no limit; for a currency, 2.',
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

const numberBounds = bounded({
  read: readDecimal,
  compare: (one, other) => new Decimal(one).cmp(other),
  words: {
    min: (bound) => say`must be at least ${bound}`,
    max: (bound) => say`must be at most ${bound}`,
  },
});

/** An exact decimal number of up to 38 digits; `decimals` limits the decimal places. */
export const number = textType(settings, {
  ...numberBounds,
  expressionKind: 'number',
  example: { sent: 12.5, shown: '12.5' },
  parse: (input, { decimals = Infinity }) => readNumber(input, decimals),
  // Stored values may have more places than the definition allows today, so a filter ignores `decimals`.
  parseFilter: readDecimal,
  lenient: (options) => ({ ...options, decimals: MAX_PLACES }),
  show: () => ({ as: 'number' }),
  ask: () => ({ by: 'number' }),
  order: () => ({ by: 'number' }),
  indexedAs: 'number',
  openapi: () => ({ type: ['string', 'null'], format: 'decimal', pattern: '^-?[0-9]+(\\.[0-9]+)?$' }),
  openapiInput: () => ({ type: ['string', 'number', 'null'] }),
});

/** Parses a decimal number with at most this many decimal places. */
export function readNumber(input: Json, decimals: number): string | Invalid {
  const decimal = readDecimal(input);
  if (decimal instanceof Invalid || decimalPlaces(decimal) <= decimals) return decimal;
  return new Invalid(say`has more decimal places than the ${decimals} allowed`);
}

function readDecimal(input: Json): string | Invalid {
  if (input instanceof NumberLiteral) return canonicalDecimal(input.text);
  // Only JSON numbers may have an exponent.
  if (typeof input !== 'string' || (input.length <= MAX_CHARACTERS && /e/i.test(input))) return notANumber;
  return canonicalDecimal(input);
}

const notANumber = new Invalid('is not a number such as 1234.56');
const decimalPattern = /^-?((?:0|[1-9]\d*)(?:\.\d+)?)(?:[eE][+-]?\d+)?$/;
// Matches most canonical numbers of usual size, which need no conversion.
const canonical = /^(?:0|-?[1-9]\d{0,17}(?:\.\d{0,17}[1-9])?)$/;
const MAX_DIGITS = 38;
/**
 * The maximum number of characters of a number. Without this limit, a pattern could search megabytes of
 * zeros.
 */
export const MAX_CHARACTERS = 10_000;

/**
 * The canonical text of a decimal: no exponent, no zeros at the end of a fraction, no `-0`. Refuses more than
 * 38 digits. The text is exact, but arithmetic with `Decimal` rounds to 20 digits.
 */
function canonicalDecimal(text: string): string | Invalid {
  if (canonical.test(text)) return text;
  if (text.length > MAX_CHARACTERS) return new Invalid(say`is longer than ${'10,000'} characters`);
  const [, mantissa] = decimalPattern.exec(text) ?? [];
  if (mantissa === undefined) return notANumber;
  if (!/[1-9]/.test(mantissa)) return '0';
  if (text.length > MAX_DIGITS && new Decimal(mantissa).precision() > MAX_DIGITS)
    return new Invalid(say`has more than ${MAX_DIGITS} significant digits`);
  const value = new Decimal(text);
  // For an exponent beyond 9e15 the library returns 0, or Infinity, whose `e` is NaN.
  if (value.isZero() || !(value.e < MAX_DIGITS) || value.decimalPlaces() > MAX_DIGITS)
    return new Invalid(say`has more than ${MAX_DIGITS} digits on one side of the decimal point`);
  return value.toFixed();
}

export function decimalPlaces(canonical: string): number {
  const point = canonical.indexOf('.');
  return point < 0 ? 0 : canonical.length - point - 1;
}

/** Adds zeros to a canonical decimal until it has at least this many places. Never rounds. */
export function padDecimal(canonical: string, places: number): string {
  const missing = places - decimalPlaces(canonical);
  if (missing <= 0) return canonical;
  return `${canonical}${missing === places ? '.' : ''}${'0'.repeat(missing)}`;
}
