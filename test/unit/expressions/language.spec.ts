import { decimal } from '../../../src/workflows/expressions/decimal.js';
import {
  compileExpression,
  type ExpressionValue,
  type LinkedValues,
  type TaskValues,
} from '../../../src/workflows/expressions/expression.js';
import { type ExpressionScope } from '../../../src/workflows/expressions/scope.js';
import {
  functions,
  macros,
  methods,
  operators,
  variables,
} from '../../../src/workflows/expressions/language.js';

/** The task that the examples of the reference are about. */
const order = (amount: string, stage: string): TaskValues =>
  new Map<string, ExpressionValue>([
    ['Amount', decimal(amount)],
    ['Stage', stage],
  ]);
const task = new Map<string, ExpressionValue | LinkedValues>([
  ['Supplier', new Map([['Country', 'DE']])],
  ['Orders', [order('10', 'Open'), order('20', 'Paid'), order('5', 'Void')]],
  ['Name', 'Desk'],
  ['Unit Price', decimal('12.50')],
  ['Regions', ['EMEA', 'APAC']],
  ['Due', '2026-03-05'],
  ['Urgent', false],
  ['Notes', null],
]);
const input = {
  task,
  other: order('10', 'Open'),
  performer: 'mina@acme.test',
  today: '2026-03-02',
  now: '2026-03-02T09:30:00.000Z',
  overdue: ['review'],
  facts: new Map([['actor', new Map([['kind', 'user']])]]),
};

/** Of the expressions that know this variable. */
const scopeOf = (variable: string): ExpressionScope => ({
  follow: (name) =>
    name === 'Orders' || name === 'Supplier' ? { isMultiple: name === 'Orders' } : undefined,
  other: variable === 'before' ? 'before' : 'linked',
  ...(variable === 'actor' && { facts: ['actor'] as const }),
});

const named = [variables, functions, methods, macros].flatMap((table) => [...table]);

describe('what the reference says of expressions', () => {
  it.each([...named, ...operators.map((term) => [term.usage, term] as const)])(
    '%s: its example gives what it says',
    (name, { example, result }) => {
      expect(compileExpression(example, scopeOf(name)).evaluate(input)).toEqual(result);
    },
  );

  it.each(named)('%s: its usage and its example name it', (name, { usage, example }) => {
    expect(usage).toContain(name);
    expect(example).toContain(name);
  });
});
