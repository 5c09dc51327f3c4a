import {
  compileExpression,
  type ExpressionInput,
  type ExpressionValue,
} from '../../../src/workflows/expressions/expression.js';
import { decimal } from '../../../src/workflows/expressions/decimal.js';
import { TakesTooLong } from '../../../src/workflows/expressions/expression-error.js';

const letters = 'a'.repeat(200_000);
const values: Record<string, ExpressionValue> = {
  A: letters,
  B: `${'a'.repeat(1_000)}b`,
  Options: Array.from({ length: 500 }, (_, at) => `option ${at}`),
};
const input: ExpressionInput = {
  task: new Map(Object.entries(values)),
  performer: 'ada@example.com',
  today: '2026-03-01',
  now: '2026-03-01T12:00:00.000Z',
};

// Rule: what an expression may cost is bounded by its text and by the lists that it goes through.
it.each([
  ['true'.padEnd(2_001), 'longer than 2,000 characters'],
  ['task.A.all(x, task.A.all(y, task.A.all(z, true)))', 'more than two loops are nested'],
])('%.40s is refused when it is read', (source, reason) => {
  expect(() => compileExpression(source)).toThrow(reason);
});

it.each([
  ['task.A.contains(task.B)', 'the text to find has more than 1,000 characters'],
  ['task.A.split("").all(x, true)', 'a loop goes through at most 1,000 members'],
])('%s fails', (source, reason) => {
  expect(() => compileExpression(source).evaluate(input)).toThrow(reason);
});

// Rule: an evaluation ends after its time, even if it ignores errors. This one would take hours.
it('ends loops in loops that search long texts', () => {
  const search = `task.A.contains("${'a'.repeat(500)}b") || true`;
  const source = `task.Options.all(x, task.Options.all(y, ${search}))`;
  expect(() => compileExpression(source).evaluate(input)).toThrow(TakesTooLong);
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
