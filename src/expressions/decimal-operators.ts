import { type Environment } from '@marcbachmann/cel-js';
import { type Decimal } from 'decimal.js';
import { pay } from './allowance.js';
import { bounded, decimal, divide, Exact, remainder, round } from './decimal.js';
import { ExpressionError } from './expression-error.js';

type Operand = Decimal | bigint;

const arithmetic = {
  '+': (a: Decimal, b: Decimal) => bounded(a.plus(b)),
  '-': (a: Decimal, b: Decimal) => bounded(a.minus(b)),
  '*': (a: Decimal, b: Decimal) => {
    pay((a.d.length * b.d.length) / 8);
    return bounded(a.times(b));
  },
  '/': divide,
  '%': (a: Decimal, b: Decimal) => {
    // The words of the quotient, each of which is multiplied by the divisor.
    pay((Math.max(a.e - b.e, 0) / 7) * (3 + b.d.length / 8));
    return remainder(a, b);
  },
};

const comparisons = {
  '<': (a: Decimal, b: Decimal) => a.lt(b),
  '<=': (a: Decimal, b: Decimal) => a.lte(b),
  '>': (a: Decimal, b: Decimal) => a.gt(b),
  '>=': (a: Decimal, b: Decimal) => a.gte(b),
};

// The library derives `!=` and the turned-round pair of types from each `==`.
const equality = { '==': (a: Decimal, b: Decimal) => a.eq(b) };

const decimals = [['decimal', 'decimal']] as const;
const mixed = [['decimal', 'int']] as const;
const turned = [['int', 'decimal']] as const;

/** Teaches the environment the exact decimal type: operators with decimals and ints, conversions and `round`. */
export function registerDecimals(environment: Environment): void {
  environment.registerType('decimal', { ctor: Exact, fields: {} });
  registerOperators(environment, arithmetic, 'decimal', [...decimals, ...mixed, ...turned]);
  registerOperators(environment, comparisons, 'bool', [...decimals, ...mixed, ...turned]);
  registerOperators(environment, equality, 'bool', [...decimals, ...mixed]);
  environment.registerOperator('-decimal', (a: Decimal) => paid(a).negated());
  for (const [signature, handler] of functions) {
    environment.registerFunction(signature, handler, { async: false });
  }
}

const functions: [string, (...operands: never[]) => unknown][] = [
  ['decimal(decimal): decimal', (value: Decimal) => value],
  ['decimal(int): decimal', (value: bigint) => decimal(value)],
  ['decimal(string): decimal', fromText],
  ['exact(dyn): dyn', (value: unknown) => (typeof value === 'bigint' ? decimal(value) : value)],
  ['string(decimal): string', (value: Decimal) => paid(value).toFixed()],
  ['int(decimal): int', truncate],
  ['round(decimal, int): decimal', roundOperands],
  ['round(int, int): decimal', roundOperands],
  ['round(decimal, decimal): decimal', roundOperands],
  ['round(int, decimal): decimal', roundOperands],
];

function registerOperators(
  environment: Environment,
  operators: Record<string, (a: Decimal, b: Decimal) => unknown>,
  result: string,
  pairs: readonly (readonly [string, string])[],
): void {
  for (const [operator, apply] of Object.entries(operators)) {
    for (const [left, right] of pairs) {
      environment.registerOperator(`${left} ${operator} ${right}: ${result}`, (a: Operand, b: Operand) =>
        apply(paid(exact(a)), paid(exact(b))),
      );
    }
  }
}

function exact(operand: Operand): Decimal {
  return typeof operand === 'bigint' ? decimal(operand) : operand;
}

/** An operand once paid for: every operation takes time by the number of its digits, of which seven make a word. */
function paid(operand: Decimal): Decimal {
  pay(20 + operand.d.length);
  return operand;
}

function fromText(text: string): Decimal {
  pay(Math.min(text.length, 2_000) / 4);
  return decimal(text);
}

function roundOperands(value: Operand, places: Operand): Decimal {
  return round(paid(exact(value)), exact(places));
}

function truncate(value: Decimal): bigint {
  const whole = BigInt(paid(value).trunc().toFixed());
  if (BigInt.asIntN(64, whole) === whole) return whole;
  throw new ExpressionError('int() takes numbers of 64 bits');
}
