import { Decimal } from 'decimal.js';
import { Invalid } from './invalid.js';
import { say } from '../../common/message.js';

const decimalPattern = /^-?((?:0|[1-9]\d*)(?:\.\d+)?)(?:[eE][+-]?\d+)?$/;
// The form that most numbers already have.
const canonical = /^(?:0|-?[1-9]\d{0,17}(?:\.\d{0,17}[1-9])?)$/;
const MAX_DIGITS = 38;
/** Zeros can make a number's text much longer than its digits; a pattern must not search megabytes of them. */
export const MAX_CHARACTERS = 10_000;

/** The canonical text of a decimal: no exponent, trailing zeros or `-0`. Exact; refuses more than 38 digits. */
export function canonicalDecimal(text: string): string | Invalid {
  if (canonical.test(text)) return text;
  if (text.length > MAX_CHARACTERS) return new Invalid(say`is longer than ${'10,000'} characters`);
  const [, mantissa] = decimalPattern.exec(text) ?? [];
  if (mantissa === undefined) return new Invalid('is not a number');
  if (!/[1-9]/.test(mantissa)) return '0';
  if (text.length > MAX_DIGITS && new Decimal(mantissa).precision() > MAX_DIGITS)
    return new Invalid(say`has more than ${MAX_DIGITS} significant digits`);
  const value = new Decimal(text);
  // An exponent beyond 9e15 yields 0, or Infinity, whose `e` is NaN.
  if (value.isZero() || !(value.e < MAX_DIGITS) || value.decimalPlaces() > MAX_DIGITS)
    return new Invalid(say`has more than ${MAX_DIGITS} digits on one side of the decimal point`);
  return value.toFixed();
}

/** The number of digits after the point of a canonical decimal. */
export function decimalPlaces(canonical: string): number {
  const point = canonical.indexOf('.');
  return point < 0 ? 0 : canonical.length - point - 1;
}

/** A canonical decimal with at least this many places; never rounded. */
export function padDecimal(canonical: string, places: number): string {
  const missing = places - decimalPlaces(canonical);
  if (missing <= 0) return canonical;
  return `${canonical}${missing === places ? '.' : ''}${'0'.repeat(missing)}`;
}
