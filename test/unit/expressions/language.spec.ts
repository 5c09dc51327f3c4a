import { readFileSync } from 'node:fs';
import { decimal } from '../../../src/workflows/expressions/decimal.js';
import {
  compileExpression,
  type ExpressionValue,
  type LinkedValues,
  type TaskValues,
} from '../../../src/workflows/expressions/expression.js';
import { type ExpressionScope } from '../../../src/workflows/expressions/scope.js';
import { functions, macros, methods } from '../../../src/workflows/expressions/guard.js';

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

const page = readFileSync(new URL('../../../docs/reference/expressions.md', import.meta.url), 'utf8');

/** The rows of the table under a heading: how it is written, an example, and what that gives. */
function rowsUnder(heading: string): [usage: string, example: string, result: unknown][] {
  const section = page.split(`\n### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
    const [, usage = '', , example = '', result = ''] = cells.map((cell) => cell.replace(/^`(.*)`$/, '$1'));
    return [usage, example, JSON.parse(result)];
  });
}

const called = ([usage]: readonly [usage: string, ...rest: unknown[]]): string => usage.replace(/^\w+\.(?=\w+\()/, '').replace(/\(.*/, ''); // prettier-ignore

describe('the reference of expressions', () => {
  const headings = ['Variables', 'Operators', 'Functions', 'Methods of texts and lists', 'For each member of a list']; // prettier-ignore

  it.each(headings.flatMap(rowsUnder))('%s: its example gives this result', (usage, example, result) => {
    expect(compileExpression(example, scopeOf(/^\w+/.exec(usage)?.[0] ?? '')).evaluate(input)).toEqual(
      result,
    );
  });

  it.each([
    ['Functions', functions],
    ['Methods of texts and lists', methods],
    ['For each member of a list', macros],
  ] as const)('%s: lists all of them', (heading, names) => {
    expect(rowsUnder(heading).map(called)).toEqual([...names]);
  });
});
