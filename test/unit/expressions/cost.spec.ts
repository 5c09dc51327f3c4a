import { Allowance } from '../../../src/expressions/allowance.js';
import {
  compileExpression,
  type ExpressionInput,
  type ExpressionValue,
} from '../../../src/expressions/expression.js';
import { decimal } from '../../../src/expressions/decimal.js';
import { TooCostly } from '../../../src/expressions/expression-error.js';

// Rule: an expression pays for what it costs before it is done, so that one evaluation holds the process for 10 ms or so.

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

function costOf(source: string): unknown {
  try {
    return compileExpression(source).evaluate(input, new Allowance());
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    return 'too much';
  }
}

const long = `decimal("${'9'.repeat(490)}.${'9'.repeat(490)}")`;
const times = (count: number, body: string): string => `[${Array(count).fill('1').join()}].all(i, ${body})`;

describe('what costs too much is stopped', () => {
  it.each([
    ['contains', 'task.A.contains(task.B)'],
    ['split into many', 'size(task.A.split("a")) > 1'],
    ['in', times(10, 'task.A in [task.C]')],
    ['size', times(2, 'size(task.Wide) > 1')],
    ['join', 'size(task.Options.join(task.B)) > 0'],
    ['== of lists', times(300, 'task.Options == task.Options')],
    ['*', `[${long}].all(x, ${times(100, 'x * x > 0')})`],
    ['loops in loops', 'task.Options.all(x, task.Options.all(y, true))'],
    ['matches, of a large pattern', times(5, 'task.Options.all(x, x.matches("([ab]?){90}c") || true)')],
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

it('one look for a phrase in the longest text that a task may hold is not too much', () => {
  expect(costOf('!task.A.contains("a phrase of some length that a task may hold")')).not.toBe('too much');
});

it('a number that squares is bounded', () => {
  expect(() => costOf('[3]' + '.map(a, a * a)'.repeat(40))).toThrow('a number grows beyond 1,000 digits');
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
