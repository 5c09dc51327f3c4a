import { Invalid } from './invalid.js';

const decimalPattern = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
// What most numbers are already.
const canonical = /^(?:0|-?[1-9]\d{0,17}(?:\.\d{0,17}[1-9])?)$/;
const digitLimit = 38;
/** Zeros may make a spelling longer than its digits; a pattern cannot take megabytes of them. */
export const mostCharacters = 10_000;

/** The one text of a decimal number: no exponent, no trailing zeros, no `-0`; exact, or refused beyond 38 digits. */
export function canonicalDecimal(text: string): string | Invalid {
  if (canonical.test(text)) return text;
  if (text.length > mostCharacters) return new Invalid('is longer than 10,000 characters');
  const match = decimalPattern.exec(text);
  if (!match) return new Invalid('is not a number');
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const start = leadingZeros(digits);
  const significant = digits.slice(start, digits.length - trailingZeros(digits));
  if (significant === '') return '0';
  const point = whole.length + Number(exponent) - start;
  return refusal(significant.length, point) ?? sign + placePoint(significant, point);
}

/** How many digits a canonical decimal has after its point. */
export function decimalPlaces(canonical: string): number {
  const point = canonical.indexOf('.');
  return point < 0 ? 0 : canonical.length - point - 1;
}

/** A canonical decimal with at least so many places; never rounded. */
export function padDecimal(canonical: string, places: number): string {
  const [whole = '', fraction = ''] = canonical.split('.');
  const padded = fraction.padEnd(places, '0');
  return padded === '' ? whole : `${whole}.${padded}`;
}

function refusal(significant: number, point: number): Invalid | undefined {
  if (significant > digitLimit) return new Invalid(`has more than ${digitLimit} significant digits`);
  if (point > digitLimit || significant - point > digitLimit) {
    return new Invalid(`has more than ${digitLimit} digits on one side of the decimal point`);
  }
  return undefined;
}

/** `point` counts from the first significant digit; it may lie outside the digits. */
function placePoint(significant: string, point: number): string {
  if (point <= 0) return `0.${'0'.repeat(-point)}${significant}`;
  if (point >= significant.length) return significant.padEnd(point, '0');
  return `${significant.slice(0, point)}.${significant.slice(point)}`;
}

// Loops, because the pattern 0+$ takes quadratic time on a long literal.
function leadingZeros(digits: string): number {
  let count = 0;
  while (digits[count] === '0') count++;
  return count;
}

function trailingZeros(digits: string): number {
  let count = 0;
  while (digits.at(-1 - count) === '0') count++;
  return count;
}
