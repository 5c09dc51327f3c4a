import fc from 'fast-check';
import { compileExpression } from '../../../src/workflows/expressions/expression.js';
import { decimal } from '../../../src/workflows/expressions/decimal.js';

/** A number of up to 38 digits as a field holds it: `units` in steps of 10^-places. */
const number = fc.record({ units: fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), places: fc.nat(20) });
type Fraction = { units: bigint; places: number };

describe('decimals of expressions are exact', () => {
  it.each(['+', '-', '*'] as const)('%s', (operator) => {
    const places = { '+': Math.max, '-': Math.max, '*': (a: number, b: number) => a + b }[operator];
    fc.assert(
      fc.property(number, number, (a, b) => {
        const scale = places(a.places, b.places);
        const units = {
          '+': at(a, scale) + at(b, scale),
          '-': at(a, scale) - at(b, scale),
          '*': a.units * b.units,
        }[operator];
        expect(evaluate(`task.a ${operator} task.b`, a, b)).toBe(canonical({ units, places: scale }));
      }),
    );
  });

  it('literals', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        fc.pre(b.places > 0);
        expect(evaluate(`task.a - (${text(b)})`, a, a)).toBe(evaluate('task.a - task.b', a, b));
      }),
    );
  });

  it('comparisons', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [left, right] = [at(a, 20), at(b, 20)];
        const source =
          '[task.a < task.b, task.a <= task.b, task.a > task.b, task.a >= task.b, task.a == task.b]';
        expect(evaluate(source, a, b)).toEqual([
          left < right,
          left <= right,
          left > right,
          left >= right,
          left === right,
        ]);
      }),
    );
  });

  it('a quotient is exact to 60 digits, and multiplies back if it has an end', () => {
    fc.assert(
      fc.property(number, fc.nat(15), fc.nat(8), (a, twos, fives) => {
        const divisor = { units: 2n ** BigInt(twos) * 5n ** BigInt(fives), places: 0 };
        expect(evaluate('task.a / task.b * task.b == task.a', a, divisor)).toBe(true);
      }),
    );
    expect(evaluate('task.a / task.b', { units: 2n, places: 0 }, { units: 3n, places: 0 })).toBe(
      `0.${'6'.repeat(59)}7`,
    );
  });

  it('`round` rounds halves away from zero', () => {
    fc.assert(
      fc.property(number, fc.nat(20), (a, places) => {
        const step = 10n ** BigInt(20 - places);
        const doubled = at(a, 20) * 2n;
        const half = doubled < 0n ? -step : step;
        const units = (doubled + half) / (2n * step);
        expect(evaluate(`round(task.a, ${places})`, a, a)).toBe(canonical({ units, places }));
      }),
    );
  });
});

function evaluate(source: string, a: Fraction, b: Fraction): unknown {
  const task = new Map([
    ['a', decimal(text(a))],
    ['b', decimal(text(b))],
  ]);
  return compileExpression(source).evaluate({
    task,
    performer: null,
    today: '2025-01-31',
    now: '2025-01-31T00:00:00.000Z',
  });
}

function at({ units, places }: Fraction, scale: number): bigint {
  return units * 10n ** BigInt(scale - places);
}

function text({ units, places }: Fraction): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return `${units < 0n ? '-' : ''}${whole}${places > 0 ? `.${digits.slice(-places)}` : ''}`;
}

function canonical(fraction: Fraction): string {
  const spelled = text(fraction);
  return spelled.includes('.') ? spelled.replace(/0+$/, '').replace(/\.$/, '').replace(/^-0$/, '0') : spelled;
}
