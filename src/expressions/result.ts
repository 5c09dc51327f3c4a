import { Decimal } from 'decimal.js';
import { ExpressionError } from './expression-error.js';

/** What an expression yields; numbers as their exact decimal text. */
export type ExpressionResult = null | boolean | string | readonly ExpressionResult[];

/** Turns what the library yields into a result. */
export function readResult(value: unknown): ExpressionResult {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return value.toFixed();
  if (Array.isArray(value)) return value.map(readResult);
  throw new ExpressionError('its result is neither a text, a number, a boolean nor a list');
}
