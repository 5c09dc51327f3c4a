/** An element of the language, documented for people who write expressions. A test evaluates the examples. */
export interface Term {
  readonly usage: string;
  readonly description: string;
  /** An expression about `exampleTask`, and its result. */
  readonly example: string;
  readonly result: string | boolean | null | readonly string[];
}

// Not in the language: double() and uint(), which are inexact or overflow; bytes; durations and timestamps, because
// dates are texts here.

export const variables = terms({
  task: [
    'task["Field Name"], task.Name',
    'A field, `Stage` or `Assigned To` of the task, as answers show it, except that numbers are exact decimals. Blank is null.',
    'task["Unit Price"] > 10',
    true,
  ],
  linked: [
    'linked["Field"]',
    'A field of the linked task whose values are set; only in `update_linked_tasks`.',
    'linked["Amount"] * 2',
    '20',
  ],
  before: [
    'before["Field"]',
    'A field of the task before the event; only in `when` of webhooks, and in `when` and `fields` of rules.',
    'before.Stage == "Open"',
    true,
  ],
  actor: [
    'actor["kind"], actor["id"], actor["name"]',
    'Who made the change, as in events: `key`, `user`, `rule`, `clock` …; only a key has a name. Only in `when` and `fields` of rules, where `approval`, `comment`, `item`, `execution` and `body` exist for the triggers that name them.',
    'actor["kind"] == "user"',
    true,
  ],
  performer: [
    'performer',
    'The e-mail of the user who acts; null if the API key itself does.',
    'performer == "mina@acme.test"',
    true,
  ],
});

/** Functions, called as `size(x)`. Expressions can call only what is in these tables. */
export const functions = terms({
  today: ['today()', 'The current day, in the time zone of the workspace.', 'today()', '2026-03-02'],
  now: [
    'now()',
    'The current time in UTC, as a `datetime` shows it; in an execution, the time when it began to run.',
    'now()',
    '2026-03-02T09:30:00.000Z',
  ],
  overdue: [
    'overdue("clock"), overdue()',
    'Whether this clock of the task, or any of its clocks, is overdue; only in requirements and steps.',
    'overdue("review") && !overdue("close")',
    true,
  ],
  days_between: [
    'days_between(from, to)',
    'The number of days from one date to another; below 0 if the other is earlier.',
    'days_between(today(), task.Due)',
    '3',
  ],
  add_days: [
    'add_days(date, days)',
    'The date that many days later, or earlier if `days` is negative.',
    'add_days(task.Due, 7)',
    '2026-03-12',
  ],
  round: [
    'round(number, places)',
    'Rounds to 0 to 20 decimal places, half away from zero.',
    'round(2.345, 2)',
    '2.35',
  ],
  abs: ['abs(number)', 'The number without its sign.', 'abs(2 - task["Unit Price"])', '10.5'],
  min: [
    'min(a, b, …), min(list)',
    'The least of numbers, or of texts. Blanks are ignored; without values, it is null.',
    'min(task["Unit Price"], 10)',
    '10',
  ],
  max: [
    'max(a, b, …), max(list)',
    'The greatest, by the same rules.',
    'max(today(), task.Due)',
    '2026-03-05',
  ],
  sum: [
    'sum(list)',
    'The sum of the numbers of a list. Blanks are ignored; without values, it is 0.',
    'sum([task["Unit Price"], 0.5, task.Notes])',
    '13',
  ],
  matches: [
    'matches(text, "pattern"), text.matches("pattern")',
    'Whether the text, or a part of it, matches a regular expression in RE2 syntax; `^` and `$` stand for its ends. The pattern must be in quotes, and has at most 500 characters.',
    'matches(task.Name, r"^[A-Z]\\w+$")',
    true,
  ],
  size: [
    'size(value)',
    'The number of characters of a text, or of members of a list.',
    'size(task.Regions)',
    '2',
  ],
  has: ['has(task.Name)', 'Whether the key exists: true even if it is blank.', 'has(task.Notes)', true],
  decimal: ['decimal(text)', 'The text, or the whole number, as a decimal.', 'decimal("1.50") * 2', '3'],
  int: ['int(number)', 'The number without its fraction, as a whole number.', 'int(12.75)', '12'],
  string: ['string(value)', 'The value as a text.', 'string(12.50) + " €"', '12.5 €'],
  bool: ['bool(text)', 'The text `true` or `false` as a truth value.', 'bool("true")', true],
  dyn: [
    'dyn(value)',
    'The value itself, with a type that is only known at evaluation.',
    'dyn(task.Name)',
    'Desk',
  ],
});

/** Methods, called as `x.size()`. */
export const methods = terms({
  contains: [
    'text.contains(part)',
    'Whether the text contains this part; case counts.',
    'task.Name.contains("esk")',
    true,
  ],
  startsWith: ['text.startsWith(part)', 'Tests the beginning.', 'task.Name.startsWith("D")', true],
  endsWith: ['text.endsWith(part)', 'Tests the end.', 'task.Name.endsWith("D")', false],
  indexOf: [
    'text.indexOf(part), text.indexOf(part, from)',
    'The first position of the part, counted from 0; -1 if there is none.',
    'task.Name.indexOf("s")',
    '2',
  ],
  lastIndexOf: [
    'text.lastIndexOf(part), text.lastIndexOf(part, from)',
    'The last position of the part; -1 if there is none.',
    '"a-b-c".lastIndexOf("-")',
    '3',
  ],
  substring: [
    'text.substring(start), text.substring(start, end)',
    'The part from the position `start` up to, but not including, `end`.',
    'task.Name.substring(0, 2)',
    'De',
  ],
  trim: ['text.trim()', 'The text without white space at its ends.', '" Desk ".trim()', 'Desk'],
  lowerAscii: [
    'text.lowerAscii()',
    'The text with A to Z as small letters.',
    'task.Name.lowerAscii()',
    'desk',
  ],
  upperAscii: ['text.upperAscii()', 'The text with a to z as capitals.', 'task.Name.upperAscii()', 'DESK'],
  split: [
    'text.split(mark), text.split(mark, most)',
    'The pieces between the marks, `most` at most; the last one holds the rest.',
    '"a,b".split(",")',
    ['a', 'b'],
  ],
  join: [
    'list.join(), list.join(mark)',
    'The texts of a list as one text.',
    'task.Regions.join(", ")',
    'EMEA, APAC',
  ],
  size: ['text.size(), list.size()', 'The same as `size(value)`.', 'task.Name.size()', '4'],
});

/** Methods that evaluate their last arguments for each member of a list. */
export const macros = terms({
  all: [
    'list.all(x, condition)',
    'Whether the condition is true of every member.',
    'task.Regions.all(region, size(region) == 4)',
    true,
  ],
  exists: [
    'list.exists(x, condition)',
    'Whether it is true of at least one.',
    'task.Regions.exists(region, region == "EMEA")',
    true,
  ],
  exists_one: [
    'list.exists_one(x, condition)',
    'Whether it is true of exactly one.',
    'task.Regions.exists_one(region, region.startsWith("A"))',
    true,
  ],
  filter: [
    'list.filter(x, condition)',
    'The members for which it is true.',
    'task.Regions.filter(region, region != "EMEA")',
    ['APAC'],
  ],
  map: [
    'list.map(x, value)',
    'A list with this value for each member.',
    'task.Regions.map(region, region.lowerAscii())',
    ['emea', 'apac'],
  ],
});

const operatorRows: readonly Row[] = [
  [
    '+  -  *  /  %',
    'Exact arithmetic; between two whole numbers, `/` drops the remainder.',
    '7.0 / 2',
    '3.5',
  ],
  ['+', 'Joins two texts, or two lists.', 'task.Name + "!"', 'Desk!'],
  [
    '==  !=  <  <=  >  >=',
    'Compare. Dates and texts are ordered by their characters.',
    'task.Due < today()',
    false,
  ],
  ['x in list', 'Whether the value is a member.', '"EMEA" in task.Regions', true],
  ['&&  ||  !', 'And, or, not.', 'task.Notes == null || size(task.Notes) < 10', true],
  [
    'condition ? a : b',
    '`a` if the condition is true, otherwise `b`. Both have the same type; either may be null.',
    'task.Urgent ? "now" : "later"',
    'later',
  ],
  [
    'task["Relationship"]["Field"]',
    'A field of the task that is linked under this name; null if none is linked, which `task["Relationship"] == null` tests.',
    'task["Supplier"]["Country"] == "DE"',
    true,
  ],
  [
    'task["Relationship"].all(x, x["Field"] …)',
    'For many linked tasks: `all`, `exists`, `exists_one`, `filter`, `map`, `size()` and `[0]`; 1,000 tasks at most.',
    'sum(task["Orders"].filter(o, o["Stage"] != "Void").map(o, o["Amount"]))',
    '30',
  ],
  ['list[place]', 'A member of a list, counted from 0.', 'task.Regions[1]', 'APAC'],
];

export const operators = operatorRows.map(term);

type Row = readonly [usage: string, description: string, example: string, result: Term['result']];

function terms(rows: Readonly<Record<string, Row>>): ReadonlyMap<string, Term> {
  return new Map(Object.entries(rows).map(([name, row]) => [name, term(row)]));
}

function term([usage, description, example, result]: Row): Term {
  return { usage, description, example, result };
}
