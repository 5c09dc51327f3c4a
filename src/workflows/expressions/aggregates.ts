import { type Environment } from '@marcbachmann/cel-js';
import { Decimal } from 'decimal.js';
import { boundedDecimal, decimal, exact } from './decimal.js';
import { ExpressionError } from './expression-error.js';
import { own } from './own-functions.js';

/** Registers functions that aggregate a list. They ignore blanks. */
export function registerAggregates(environment: Environment): void {
  for (const [signature, handler] of signatures)
    environment.registerFunction(own + signature, handler, { async: false });
}

const signatures: readonly (readonly [string, (list: readonly unknown[]) => unknown])[] = [
  ['min(list): dyn', (list) => extreme('min', list, (order) => order < 0)],
  ['max(list): dyn', (list) => extreme('max', list, (order) => order > 0)],
  ['sum(list): decimal', sum],
];

function sum(list: readonly unknown[]): Decimal {
  return members(list)
    .map((member) => number(member) ?? refuse('sum() takes numbers'))
    .reduce((total, member) => boundedDecimal(total.plus(member)), decimal(0n));
}

/** The first member that no other precedes; null if there is none. */
function extreme(
  name: string,
  list: readonly unknown[],
  isBefore: (order: number) => boolean,
): string | Decimal | null {
  const known = members(list).map((member) => (typeof member === 'string' ? member : number(member)));
  let found: string | Decimal | null = null;
  for (const member of known) {
    const order = found === null ? undefined : compare(member, found);
    if (member === undefined || (found !== null && order === undefined))
      throw new ExpressionError(`${name}() takes numbers, or texts`);
    if (order === undefined || isBefore(order)) found = member;
  }
  return found;
}

function compare(a: string | Decimal | undefined, b: string | Decimal): number | undefined {
  if (a instanceof Decimal && b instanceof Decimal) return a.comparedTo(b);
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  return a < b ? -1 : Number(a > b);
}

function members(list: readonly unknown[]): unknown[] {
  return list.filter((member) => member !== null);
}

function number(member: unknown): Decimal | undefined {
  return typeof member === 'bigint' || member instanceof Decimal ? exact(member) : undefined;
}

function refuse(message: string): never {
  throw new ExpressionError(message);
}
