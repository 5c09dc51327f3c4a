import { decimal } from '../../../src/workflows/expressions/decimal.js';
import {
  compileExpression,
  type ExpressionInput,
  type ExpressionValue,
  type LinkedValues,
} from '../../../src/workflows/expressions/expression.js';
import { ExpressionError } from '../../../src/workflows/expressions/expression-error.js';
import { type ExpressionScope } from '../../../src/workflows/expressions/scope.js';

const relationships = new Map([
  ['Policy', { isMultiple: false }],
  ['Broker', { isMultiple: false }],
  ['Payments', { isMultiple: true }],
]);
const scope: ExpressionScope = { follow: (name) => relationships.get(name), other: 'linked' };

const payment = (stage: string, amount: string | null): ReadonlyMap<string, ExpressionValue> =>
  new Map<string, ExpressionValue>([
    ['Stage', stage],
    ['Amount', amount === null ? null : decimal(amount)],
  ]);
const input: ExpressionInput = {
  task: new Map<string, ExpressionValue | LinkedValues>([
    ['Amount', decimal('30')],
    ['Tags', ['Paid', 'Late']],
    ['Policy', new Map([['Limit', decimal('100')]])],
    ['Broker', null],
    ['Payments', [payment('Paid', '10.5'), payment('Open', '20'), payment('Open', null)]],
  ]),
  other: payment('Open', '7'),
  performer: null,
  today: '2026-03-02',
  now: '2026-03-02T09:30:00.000Z',
};

describe('linked tasks in expressions', () => {
  it.each([
    ['task["Amount"] <= task["Policy"]["Limit"]', true],
    ['task.Policy.Limit - task.Amount', '70'],
    ['task["Broker"]["Fee"]', null],
    ['task["Broker"] == null && null != task.Policy && !(task.Broker != null)', true],
    ['task["Payments"].all(p, p["Stage"] == "Paid")', false],
    ['task.Payments.exists(p, p.Amount == null)', true],
    ['task.Payments.filter(p, p.Stage == "Open").filter(p, p.Amount != null).map(p, p.Amount)', ['20']],
    ['size(task.Payments) + task.Payments.filter(p, p.Stage == "Open").size()', '5'],
    ['task.Payments[0].Stage + task.Payments[size(task.Payments) - 1]["Stage"]', 'PaidOpen'],
    // A task may be compared with its task's fields, and with those of others.
    ['task.Tags.filter(t, task.Payments.exists(p, p.Stage == t))', ['Paid']],
    [
      'task.Payments.filter(p, task.Payments.exists(q, q.Amount > p.Amount || q.Stage != p.Stage)).size()',
      '3',
    ],
    // A variable of the same name hides the outer one.
    ['task.Payments.all(p, task.Tags.exists(p, p == "Late"))', true],
    ['linked["Amount"] + task.Amount', '37'],
    ['task.Tags.exists(linked, linked == "Late") && linked.Stage == "Open"', true],
  ])('%s is %j', (source, result) => {
    expect(compileExpression(source, scope).evaluate(input)).toEqual(result);
  });

  it('finds the fields that an expression reads, of the task and by relationship', () => {
    const source =
      'task.Payments.filter(p, p.Stage == "Paid").all(q, q.Amount < task.Amount) && size(task.Broker.Name) > 0';
    const { fields, linked, ofOther } = compileExpression(`${source} && linked.Stage == "Open"`, scope);
    expect([...fields]).toEqual(['Amount']);
    expect(Object.fromEntries(Array.from(linked, ([name, of]) => [name, [...of]]))).toEqual({
      Payments: ['Amount', 'Stage'],
      Broker: ['Name'],
    });
    expect([...ofOther]).toEqual(['Stage']);
  });

  const list = 'is a list of linked tasks: it takes size(), all, exists, exists_one, filter, map or [0]';
  const one = 'is a linked task: read a field of it, such as';

  it.each([
    ['task["Payments"] > 3', `task["Payments"] ${list}`],
    ['task.Payments.Amount > 3', `task["Payments"] ${list}`],
    ['[task.Payments].map(p, p)', `task["Payments"] ${list}`],
    ['task.Payments.filter(p, true)', `task["Payments"] ${list}`],
    ['task["Policy"]', `task["Policy"] ${one} task["Policy"]["Name"]`],
    ['task["Policy"] == "P-1"', `task["Policy"] ${one} task["Policy"]["Name"]`],
    ['task.Policy.all(p, true)', `task["Policy"] ${one} task["Policy"]["Name"]`],
    ['has(task.Policy.Limit)', `task["Policy"] ${one} task["Policy"]["Name"]`],
    ['task.Payments.map(p, p)', `p ${one} p["Name"]`],
    ['task.Payments.all(p, dyn(p) != null)', `p ${one} p["Name"]`],
    ['task.Payments[0]', `task["Payments"][0] ${one} task["Payments"][0]["Name"]`],
    ['linked', `linked ${one} linked["Name"]`],
    ['task.Tags.exists(t, task[t] == null)', 'task[…] takes the name of a field in quotes'],
    ['task.Payments.all(p, p[task.Amount] == 1)', 'p[…] takes the name of a field in quotes'],
    ['task.Payments.all(task, true)', 'task needs the name of a field: task["Field Name"] or task.Name'],
  ])('refuses %s', (source, message) => {
    expect(() => compileExpression(source, scope)).toThrow(new ExpressionError(message));
  });

  it('refuses `linked` without a linked task, and reads a field named like a relationship', () => {
    const unknown = new ExpressionError('Unknown variable: linked; a field is read as task["linked"]');
    expect(() => compileExpression('linked.Stage == "Open"', { ...scope, other: undefined })).toThrow(
      unknown,
    );
    // Without relationships it is a field like any other.
    expect([...compileExpression('size(task.Payments) > 1').fields]).toEqual(['Payments']);
  });
});
