import fc from 'fast-check';
import {
  compileExpression,
  type ExpressionInput,
  type ExpressionValue,
} from '../../../src/workflows/expressions/expression.js';
import { decimal } from '../../../src/workflows/expressions/decimal.js';
import { type ExpressionScope } from '../../../src/workflows/expressions/scope.js';
import { ExpressionError } from '../../../src/workflows/expressions/expression-error.js';

const task = new Map<string, ExpressionValue>([
  ['Contract Value', decimal('12.50')],
  ['Level', decimal('2')],
  ['Closed On', null],
  ['Due', '2024-02-28'],
  ['Regions', ['EMEA', 'APAC']],
  ['Notes', 'x'.repeat(1_000_000)],
  ['International?', true],
  ['__proto__', 'p'],
  ['constructor', 'c'],
]);
const input: ExpressionInput = {
  task,
  performer: 'mina@acme.test',
  today: '2025-01-31',
  now: '2025-01-31T23:59:59.999Z',
};

describe('evaluate', () => {
  it.each([
    ['task["Contract Value"] == 12.5', true],
    ['1 / task.Level', '0.5'],
    ['task.Level % 2 == 0', true],
    ['-task.Level', '-2'],
    ['task.Level > 1 ? today() : null', '2025-01-31'],
    ['task.Level > 2 ? 1 + 1 : null', null],
    ['7 / 2', '3'],
    ['round(task["Contract Value"], task.Level)', '12.5'],
    ['task.Level in [1, 2]', true],
    ['size(task.Regions) in [1, 2] && !(task["Closed On"] in [1]) && "a" in ["a"]', true],
    ['[task.Level, 1] == [2, 1.0]', true],
    ['{"Low": 1, "High": 2.5}["High"] * task.Level', '5'],
    ['add_days(task.Due, task.Level)', '2024-03-01'],
    ['days_between(today(), task.Due) / 2', '-169'],
    ['min(task.Regions)', 'APAC'],
    // Blanks do not count.
    ['min(task["Closed On"], 4)', '4'],
    ['max([task["Closed On"]]) == null && min([]) == null', true],
    ['sum([1, task["Contract Value"], task["Closed On"]])', '13.5'],
    ['sum([]) + sum(task.Regions.map(r, size(r)))', '8'],
    ['task.Due.matches(r"^\\d{4}-02-")', true],
    ['task.Regions.exists(r, r.matches("(?i)^emea$"))', true],
    ['task.Regions.map(region, region + "!").join(", ")', 'EMEA!, APAC!'],
    ['2 - (3 - 4) * -1', '1'],
    ['task.__proto__ + task.constructor', 'pc'],
    ['task["International?"] || task["Closed On"] > 1', true],
  ])('%s is %j', (source, result) => {
    expect(compileExpression(source).evaluate(input)).toEqual(result);
  });

  it.each([
    ['task["Closed On"] > 1', 'no such overload: null > int'],
    ['task.Level + "a"', 'no such overload: decimal + string'],
    ['1 / (task.Level - 2)', 'division by zero'],
    ['add_days("2023-02-29", 1)', 'add_days() takes a date: there is no such day as 2023-02-29'],
    ['add_days("9999-12-31", 1)', 'the result of add_days() is outside the years 0001 to 9999'],
    ['days_between(today(), "tomorrow")', 'days_between() takes two dates in YYYY-MM-DD format'],
    ['min(1, "a")', 'min() takes numbers, or texts'],
    ['max([true])', 'max() takes numbers, or texts'],
    ['sum(task.Regions)', 'sum() takes numbers'],
    ['sum([decimal("9e999"), decimal("9e999")])', 'a number grows beyond 1,000 digits'],
    ['task["Closed On"].matches("a")', "found no matching overload for 'null.matches(string)'"],
    ['round(1.5, 21)', 'round() takes 0 to 20 places'],
    ['task.Level.constructor', 'No such key: constructor'],
    ['task.Level.map(x, x)', 'a number has no members to go through'],
    ['task.Regions[2]', 'No such key: index out of bounds, index 2 >= size 2'],
  ])('%s fails: %s', (source, message) => {
    expect(() => compileExpression(source).evaluate(input)).toThrow(new ExpressionError(message));
  });

  it('tests whether an object has a key', () => {
    const facts = new Map([['actor', new Map([['kind', 'user']])]]);
    const scope: ExpressionScope = { follow: () => undefined, facts: ['actor'] };
    const source = 'has(actor.kind) && !has(actor.name)';
    expect(compileExpression(source, scope).evaluate({ ...input, facts })).toBe(true);
  });

  it('treats a name that the task lacks as blank', () => {
    expect(compileExpression('task.Nothing').evaluate(input)).toBeNull();
  });
});

describe('compileExpression', () => {
  it('returns the fields that are read, and the type if it is certain', () => {
    const { fields, type } = compileExpression('task["Closed On"] != null && task.Level > 1');
    expect([...fields]).toEqual(['Closed On', 'Level']);
    expect(type).toBe('bool');
    expect(compileExpression('task.Level').type).toBeUndefined();
  });

  it.each([
    ['1 +', 'Unexpected token: EOF at character 4, after 1 +'],
    ['1 == 1 &&\n  2 > > 1', 'Unexpected token: GT at line 2, character 7, after 2 >'],
    ['Level > 1', 'Unknown variable: Level; a field is read as task["Level"]'],
    ['task.Level = 1', 'Unexpected character: = at character 12, after task.Level'],
    ['task.Name.startswith("a")', 'there is no function startswith(); did you mean startsWith?'],
    ['task', 'task needs the name of a field: task["Field Name"] or task.Name'],
    ['task[performer]', 'task[…] takes the name of a field in quotes'],
    ['task.Regions.all(task, true)', 'task needs the name of a field: task["Field Name"] or task.Name'],
    ['task.Notes.matches(task.Due)', 'matches() takes a text and a pattern in quotes'],
    ['matches("a")', 'matches() takes a text and a pattern in quotes'],
    ['task.Notes.matches("(a")', 'a pattern is not in RE2 syntax: missing closing ): `(a`'],
    ['task.Notes.matches(r"(a)\\1")', 'a pattern is not in RE2 syntax: invalid escape sequence: `\\1`'],
    [
      'task.Notes.matches("(?=a)")',
      'a pattern is not in RE2 syntax: invalid or unsupported Perl syntax: `(?=`',
    ],
    [`task.Notes.matches("${'a'.repeat(501)}")`, 'a pattern is longer than 500 characters'],
    ['task.Notes.matches("((a{10}){10}){9}")', 'the patterns of matches() are too large'],
    ['task.Notes.matches("a{600}")', 'the patterns of matches() are too large'],
    ['min()', "found no matching overload for 'min()'"],
    ['double("0.1")', 'there is no function double()'],
    ['1u + 1u', 'bytes and unsigned numbers are not supported'],
    ['1.5 + "a"', 'no such overload: decimal + string'],
    ['{"a": 1}', 'its result is a map<string, int>, which no field can hold'],
    ['__now', 'Unknown variable: __now'],
    ['"\ud800"', 'holds an unpaired surrogate'],
    ['('.repeat(60), 'Exceeded maxDepth (50)'],
    ['1' + '+1'.repeat(600), 'Exceeded maxAstNodes (1000)'],
  ])('refuses %s', (source, message) => {
    expect(() => compileExpression(source)).toThrow(new ExpressionError(message));
  });
});

describe('any text', () => {
  // prettier-ignore
  const pieces = ['task', '.Level', '["Due"]', '.map(x, x)', 'today()', ' in ', 'size', '.size()', '0.5', '"a"', '==', '&&', 'null', ...'[]()+-1?:{},!'];

  it('compiles and runs, or is an ExpressionError of one line', () => {
    const source = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...pieces)).map((all) => all.join('')),
    );
    fc.assert(fc.property(source, neverCrashes));
  });

  function neverCrashes(source: string): void {
    try {
      compileExpression(source).evaluate(input);
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      expect(error).toHaveProperty('message', expect.not.stringContaining('\n'));
    }
  }
});
