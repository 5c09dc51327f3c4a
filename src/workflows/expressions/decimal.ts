import { Decimal } from 'decimal.js';
import { type Environment } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';
import { checkTime } from './time-allowed.js';

/** The decimal type of expressions: exact, with up to 1,000 digits on either side of the point. */
const Exact = Decimal.clone({ precision: 5_000, modulo: Decimal.ROUND_DOWN });

const MAX_EXPONENT = 1_000;
const literal = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
// A quotient with more than 60 significant digits is rounded, half away from zero.
const Quotient = Decimal.clone({ precision: 60 });

/** Parses a decimal text (an exponent is allowed) or an integer. */
export function decimal(spelled: string | bigint): Decimal {
  const text = String(spelled);
  if (text.length > 2 * MAX_EXPONENT || !literal.test(text))
    throw new ExpressionError('not a decimal number');
  return boundedDecimal(new Exact(text));
}

/** Returns the number, or throws if it has too many digits. */
export function boundedDecimal(value: Decimal): Decimal {
  if (value.e < MAX_EXPONENT && value.e > -MAX_EXPONENT && value.decimalPlaces() <= MAX_EXPONENT)
    return value;
  throw new ExpressionError('a number grows beyond 1,000 digits');
}

/** Divides. The quotient is exact if it has at most 60 significant digits. */
function divide(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new ExpressionError('division by zero');
  return boundedDecimal(new Exact(Quotient.div(dividend, divisor)));
}

/** The remainder, with the sign of the dividend. */
function remainder(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new ExpressionError('division by zero');
  return boundedDecimal(dividend.modulo(divisor));
}

type Operand = Decimal | bigint;

const arithmetic = {
  '+': (a: Decimal, b: Decimal) => boundedDecimal(a.plus(b)),
  '-': (a: Decimal, b: Decimal) => boundedDecimal(a.minus(b)),
  '*': (a: Decimal, b: Decimal) => boundedDecimal(a.times(b)),
  '/': divide,
  '%': remainder,
};

const comparisons = {
  '<': (a: Decimal, b: Decimal) => a.lt(b),
  '<=': (a: Decimal, b: Decimal) => a.lte(b),
  '>': (a: Decimal, b: Decimal) => a.gt(b),
  '>=': (a: Decimal, b: Decimal) => a.gte(b),
};

// From each `==`, the library derives `!=` and the same comparison with swapped operands.
const equality = { '==': (a: Decimal, b: Decimal) => a.eq(b) };

const decimals = [['decimal', 'decimal']] as const;
const mixed = [['decimal', 'int']] as const;
const turned = [['int', 'decimal']] as const;

/** Registers the decimal type: operators on decimals and ints, conversions, `abs` and `round`. */
export function registerDecimals(environment: Environment): void {
  environment.registerType('decimal', { ctor: Exact, fields: {} });
  registerOperators(environment, arithmetic, 'decimal', [...decimals, ...mixed, ...turned]);
  registerOperators(environment, comparisons, 'bool', [...decimals, ...mixed, ...turned]);
  registerOperators(environment, equality, 'bool', [...decimals, ...mixed]);
  environment.registerOperator('-decimal', (a: Decimal) => a.negated());
  for (const [signature, handler] of functions) {
    environment.registerFunction(signature, handler, { async: false });
  }
}

const functions: [string, (...operands: never[]) => unknown][] = [
  ['decimal(decimal): decimal', (value: Decimal) => value],
  ['decimal(int): decimal', (value: bigint) => decimal(value)],
  ['decimal(string): decimal', (text: string) => decimal(text)],
  ['string(decimal): string', (value: Decimal) => value.toFixed()],
  ['int(decimal): int', truncate],
  ['abs(decimal): decimal', (value: Decimal) => value.abs()],
  ['abs(int): decimal', (value: bigint) => exact(value).abs()],
  ['round(decimal, int): decimal', round],
  ['round(int, int): decimal', round],
  ['round(decimal, decimal): decimal', round],
  ['round(int, decimal): decimal', round],
];

function registerOperators(
  environment: Environment,
  operators: Record<string, (a: Decimal, b: Decimal) => unknown>,
  result: string,
  pairs: readonly (readonly [string, string])[],
): void {
  for (const [operator, apply] of Object.entries(operators)) {
    for (const [left, right] of pairs) {
      environment.registerOperator(`${left} ${operator} ${right}: ${result}`, (a: Operand, b: Operand) => {
        checkTime();
        return apply(exact(a), exact(b));
      });
    }
  }
}

/** Converts a CEL integer to a decimal, and returns a decimal unchanged. */
export function exact(operand: Operand): Decimal {
  return typeof operand === 'bigint' ? decimal(operand) : operand;
}

/** Rounds to at most 20 decimal places, half away from zero. */
function round(value: Operand, digits: Operand): Decimal {
  const places = exact(digits);
  if (!places.isInteger() || places.lt(0) || places.gt(20))
    throw new ExpressionError('round() takes 0 to 20 places');
  return exact(value).toDecimalPlaces(places.toNumber(), Decimal.ROUND_HALF_UP);
}

function truncate(value: Decimal): bigint {
  const whole = BigInt(value.trunc().toFixed());
  if (BigInt.asIntN(64, whole) === whole) return whole;
  throw new ExpressionError('int() takes numbers of 64 bits');
}
