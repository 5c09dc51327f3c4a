import { Decimal } from 'decimal.js';
import { pay } from './allowance.js';

/** Returns the value after it was paid for by its size: a list that holds itself many times over is never walked to its end. */
export function charged<T>(value: T): T {
  payFor(value);
  return value;
}

/** A list that a macro is about to walk: its items times the cost of its body are paid for before it begins, errors included. */
export function walked<T>(value: T, bodyUnits: bigint): T {
  pay(parts(value).length * Number(bodyUnits));
  return value;
}

function payFor(value: unknown): void {
  pay(price(value));
  for (const part of parts(value)) payFor(part);
}

function price(value: unknown): number {
  return typeof value === 'string' ? 2 + value.length / 64 : 2;
}

function parts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null && !(value instanceof Decimal)
    ? Object.values(value)
    : [];
}
