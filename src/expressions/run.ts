import { Decimal } from 'decimal.js';
import { ExpressionError } from './expression-error.js';

const allowance = 100_000;

/** One evaluation's allowance: every value that it reads or builds is charged by its size, so that none runs away. */
export class Run {
  private left = allowance;

  /** The value itself, once paid for. */
  charge<T>(value: T): T {
    this.pay(value);
    return value;
  }

  // Stops as soon as the allowance is gone: a list that holds itself many times over is never walked to its end.
  private pay(value: unknown): void {
    this.left -= price(value);
    if (this.left < 0) throw new ExpressionError('the expression takes too long');
    for (const part of parts(value)) this.pay(part);
  }
}

function price(value: unknown): number {
  return typeof value === 'string' ? 1 + value.length / 64 : 1;
}

function parts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null && !(value instanceof Decimal)
    ? Object.values(value)
    : [];
}
