import { Decimal } from 'decimal.js';
import { ExpressionError } from './expression-error.js';

/** The number of expressions: exact, with at most 1,000 digits on either side of the point. */
export const Exact = Decimal.clone({ precision: 5_000, modulo: Decimal.ROUND_DOWN });

const sizeLimit = 1_000;
const literal = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
// A quotient that does not end is rounded, half away from zero, to so many significant digits.
const Quotient = Decimal.clone({ precision: 60 });

/** The number that a decimal text (an exponent is allowed) or an integer spells. */
export function decimal(spelled: string | bigint): Decimal {
  const text = String(spelled);
  if (text.length > 2 * sizeLimit || !literal.test(text)) throw new ExpressionError('not a decimal number');
  return bounded(new Exact(text));
}

/** The number itself, or an error where its digits would grow without end. */
export function bounded(value: Decimal): Decimal {
  if (value.e < sizeLimit && value.e > -sizeLimit && value.decimalPlaces() <= sizeLimit) return value;
  throw new ExpressionError('a number grows beyond 1,000 digits');
}

/** Exact where the quotient ends within 60 significant digits. */
export function divide(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new ExpressionError('division by zero');
  return bounded(new Exact(Quotient.div(dividend, divisor)));
}

/** What is left after division; it has the sign of the dividend. */
export function remainder(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new ExpressionError('division by zero');
  return bounded(dividend.modulo(divisor));
}

/** Rounds half away from zero to so many places, 0 to 20. */
export function round(value: Decimal, places: Decimal): Decimal {
  if (!places.isInteger() || places.lt(0) || places.gt(20)) {
    throw new ExpressionError('round() takes 0 to 20 places');
  }
  return value.toDecimalPlaces(places.toNumber(), Decimal.ROUND_HALF_UP);
}
