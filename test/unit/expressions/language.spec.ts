import { decimal } from '../../../src/expressions/decimal.js';
import { compileExpression, type ExpressionValue } from '../../../src/expressions/expression.js';
import { functions, macros, methods, operators, variables } from '../../../src/expressions/language.js';

/** The task that the examples of the reference are about. */
const task = new Map<string, ExpressionValue>([
  ['Name', 'Desk'],
  ['Unit Price', decimal('12.50')],
  ['Regions', ['EMEA', 'APAC']],
  ['Due', '2026-03-05'],
  ['Urgent', false],
  ['Notes', null],
]);
const input = { task, performer: 'mina@acme.test', today: '2026-03-02', now: '2026-03-02T09:30:00.000Z' };

const named = [variables, functions, methods, macros].flatMap((table) => [...table]);

describe('what the reference says of expressions', () => {
  it.each([...named, ...operators.map((term) => [term.usage, term] as const)])(
    '%s: its example gives what it says',
    (_, { example, result }) => {
      expect(compileExpression(example).evaluate(input)).toEqual(result);
    },
  );

  it.each(named)('%s: its usage and its example name it', (name, { usage, example }) => {
    expect(usage).toContain(name);
    expect(example).toContain(name);
  });
});
