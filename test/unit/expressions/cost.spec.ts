import { Allowance } from '../../../src/expressions/allowance.js';
import {
  compileExpression,
  type ExpressionInput,
  type ExpressionValue,
} from '../../../src/expressions/expression.js';
import { decimal } from '../../../src/expressions/decimal.js';
import { TooCostly } from '../../../src/expressions/expression-error.js';

// Rule: an expression pays for what it costs before it is done, so that one evaluation holds the process for 10 ms or so.

const values: Record<string, ExpressionValue> = {
  // Every place of A but the last fails to begin B only at B's end: a naive search takes 250,000,000,000 steps.
  A: 'a'.repeat(1_000_000),
  B: `${'a'.repeat(500_000)}b`,
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

describe('what costs too much is stopped', () => {
  it.each([
    ['contains', 'task.A.contains(task.B)'],
    ['loops in loops', 'task.Options.all(x, task.Options.all(y, true))'],
  ])('%s', (_, source) => {
    expect(costOf(source)).toBe('too much');
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
