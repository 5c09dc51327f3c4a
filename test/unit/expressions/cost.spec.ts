import {
  Allowance,
  MAX_UNITS_PER_EVALUATION,
  MAX_UNITS_PER_REQUEST,
} from '../../../src/expressions/allowance.js';
import {
  compileExpression,
  type ExpressionInput,
  type ExpressionValue,
} from '../../../src/expressions/expression.js';
import { decimal } from '../../../src/expressions/decimal.js';
import { TooCostly } from '../../../src/expressions/expression-error.js';

// Rule: an expression pays for what it costs before it is done, in units of about 0.1 µs, so that one evaluation holds
// the process for 10 ms or so. The same expression on the same values always costs the same.

const million = 1_000_000;
const values: Record<string, ExpressionValue> = {
  // Every place of A but the last fails to begin B only at B's end: a naive search takes 250,000,000,000 steps.
  A: 'a'.repeat(million),
  B: `${'a'.repeat(million / 2)}b`,
  C: 'a'.repeat(million),
  Wide: '漢'.repeat(million),
  Short: 'short',
  Options: Array.from({ length: 500 }, (_, at) => `option ${at}`),
};
const input: ExpressionInput = {
  task: new Map(Object.entries(values)),
  performer: 'ada@example.com',
  today: '2026-03-01',
  now: '2026-03-01T12:00:00.000Z',
};

/** What is left of a request's allowance tells what was spent. */
function costOf(source: string): number | 'too much' {
  let spent = 0;
  const allowance = new Allowance(MAX_UNITS_PER_REQUEST);
  try {
    compileExpression(source).evaluate(input, allowance);
    spent = MAX_UNITS_PER_REQUEST - allowance.units;
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    return 'too much';
  }
  return Math.round(spent);
}

const digits = (count: number): string => `decimal("${'9'.repeat(count)}")`;
const long = `decimal("${'9'.repeat(490)}.${'9'.repeat(490)}")`;
const text = (count: number): string => `"${'a'.repeat(count)}"`;
const times = (count: number, body: string): string => `[${Array(count).fill('1').join()}].all(i, ${body})`;

describe('what costs too much is stopped', () => {
  it.each([
    ['contains', 'task.A.contains(task.B)'],
    ['contains, in a literal', times(50, `${text(4_000)}.contains(${text(3_000)} + "b") || true`)],
    ['indexOf', 'task.A.indexOf(task.B) < 0'],
    ['indexOf from a place', 'task.A.indexOf(task.B, 7) < 0'],
    ['lastIndexOf', 'task.A.lastIndexOf("b" + task.A) < 0'],
    ['lastIndexOf from a place', 'task.A.lastIndexOf("b" + task.A, 999999) < 0'],
    ['split by what is long', 'size(task.A.split(task.B)) > 1'],
    ['split into many', 'size(task.A.split("a")) > 1'],
    ['split into characters', 'size(task.A.split("")) > 1'],
    ['split into some', 'size(task.A.split("a", 900000)) > 1'],
    ['startsWith', times(10, 'task.A.startsWith(task.C)')],
    ['endsWith', times(10, 'task.A.endsWith(task.C)')],
    ['<', times(10, 'task.A <= task.C')],
    ['==', times(10, 'task.A == task.C')],
    ['in', times(10, 'task.A in [task.C]')],
    ['size', times(2, 'size(task.Wide) > 1')],
    ['x.size', times(2, 'task.Wide.size() > 1')],
    ['size of a literal', times(50, `size(${text(8_000)}) > 1`)],
    ['trim of a literal', times(300, `"${' '.repeat(8_000)}".trim() == ""`)],
    ['comparison of literals', times(300, `${text(4_000)} <= ${text(4_000)}`)],
    ['lowerAscii', times(5, 'task.A.lowerAscii() == task.Short || true')],
    ['upperAscii', times(5, 'task.A.upperAscii() == task.Short || true')],
    ['substring', times(10, 'task.A.substring(1) == task.Short || true')],
    ['join', 'size(task.Options.join(task.B)) > 0'],
    ['+ of texts', times(5, 'task.A + task.C == task.Short || true')],
    ['+ of lists', times(300, 'size(task.Options + task.Options) > 1')],
    ['== of lists', times(300, 'task.Options == task.Options')],
    ['bool', times(10, 'bool(task.A) || true')],
    ['*', `[${long}].all(x, ${times(100, 'x * x > 0')})`],
    ['/', `[${digits(990)}].all(x, ${times(400, 'x / (x - 7) > 0')})`],
    ['%', `[decimal("1e999")].all(x, ${times(200, 'x % decimal("7e-999") >= 0')})`],
    ['+ of numbers', `[${long}].all(x, ${times(400, 'x + x - x + x - x > 0')})`],
    ['== of numbers', `[${long}].all(x, ${times(500, 'x == x && x <= x')})`],
    ['-x', `[${long}].all(x, ${times(500, '-x < x && -x < x')})`],
    ['round', `[${long}].all(x, ${times(500, 'round(x, 3) > 0')})`],
    ['decimal of a text', times(200, `decimal("${'9'.repeat(990)}.${'9'.repeat(990)}") > 0`)],
    ['string of a number', `[${long}].all(x, ${times(500, 'string(x) != "" && int(1.5) == 1')})`],
    ['loops in loops', 'task.Options.all(x, task.Options.all(y, true))'],
    ['map', 'size(task.Options.map(x, task.Options.map(y, y))) > 0'],
    ['filter', 'size(task.Options.filter(x, size(task.Options.filter(y, true)) > 1)) > 0'],
    ['exists', 'task.Options.exists(x, task.Options.exists(y, false))'],
    ['exists_one', 'task.Options.exists_one(x, task.Options.exists_one(y, false))'],
    ['add_days', 'task.Options.all(x, task.Options.all(y, add_days("2026-01-01", 1) > ""))'],
    ['matches', 'task.A.matches("(a+)+$")'],
    ['matches, of a large pattern', times(5, 'task.Options.all(x, x.matches("([ab]?){90}c") || true)')],
    ['min', `task.Options.all(x, ${times(100, 'min(task.Options) == ""')})`],
    ['sum', `[${long}].all(x, ${times(500, 'sum([x, x, x]) > 0')})`],
    ['a list that doubles', `${'[1]' + '.map(a, [a, a])'.repeat(30)} == []`],
    ['a text that doubles', `size(${'["x"]' + '.map(a, a + a)'.repeat(40)}) > 0`],
  ])('%s', (_, source) => {
    expect(costOf(source)).toBe('too much');
  });

  it('even where an error may be swallowed', () => {
    expect(costOf('task.A.contains(task.B) || true')).toBe('too much');
    // Each swallowed error costs microseconds: a round is paid for with all that it may swallow.
    const rounds = `task.Options.exists(x, ${Array(60).fill('(1 / 0 == 1)').join(' || ')})`;
    expect(costOf(rounds)).toBe('too much');
  });
});

describe('what people write costs little', () => {
  it.each([
    ['task.Short == "short" && size(task.Options) < 1000', 2_500],
    ['"option 7" in task.Options', 2_500],
    ['task.Options.exists(x, x.startsWith("option 4"))', 30_000],
    ['round(1999.99 * 1.19, 2) > 2000', 300],
    ['add_days(today(), 14) >= "2026-03-15"', 100],
    ['matches("DE-2026-0815", "^[A-Z]{2}-[0-9]{4}-[0-9]{4}$")', 500],
    ['max(task.Options) == min(task.Options)', 10_000],
    // One look for a phrase in the longest text that a task may hold.
    ['!task.A.contains("a phrase of some length that a task may hold")', MAX_UNITS_PER_EVALUATION],
  ])('%s', (source, most) => {
    expect(costOf(source)).toBeLessThanOrEqual(most);
  });
});

// Rule: a condition that people write is evaluated for 1,000 linked tasks.
it.each([
  'task.Many.all(p, p["Stage"] == "Paid")',
  'sum(task.Many.filter(p, p["Stage"] == "Paid" && p["Amount"] > 0).map(p, p["Amount"])) <= task.Many[0].Amount * 1000',
])('%s', (source) => {
  const linked = new Map<string, ExpressionValue>([
    ['Stage', 'Paid'],
    ['Amount', decimal('12.50')],
  ]);
  const many = { ...input, task: new Map([['Many', Array<typeof linked>(1000).fill(linked)]]) };
  const expression = compileExpression(source, { follow: () => ({ isMultiple: true }) });
  expect(expression.evaluate(many)).toBe(true);
});

it('all evaluations of one request share an allowance', () => {
  const allowance = new Allowance();
  const expression = compileExpression('task.A == task.C');
  const evaluateAll = (): void => {
    for (let count = 0; count < 100; count += 1) expression.evaluate(input, allowance);
  };
  expect(evaluateAll).toThrow(TooCostly);
});
