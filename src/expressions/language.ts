/** An element of the language, documented for people who write expressions. A test evaluates the examples. */
export interface Term {
  /** The syntax. */
  readonly usage: string;
  readonly description: string;
  /** An expression about `exampleTask`, and its result. */
  readonly example: string;
  readonly result: string | boolean | null | readonly string[];
}

// Left out on purpose: double() and uint() (inexact or wrapping numbers), bytes, durations and timestamps (dates are
// texts here).

/** The variables of expressions. */
export const variables: ReadonlyMap<string, Term> = new Map([
  [
    'task',
    term(
      'task["Field Name"], task.Name',
      'A field, `Stage` or `Assigned To` of the task, as answers show it, but numbers are exact decimals. Blank is null.',
      'task["Unit Price"] > 10',
      true,
    ),
  ],
  [
    'linked',
    term(
      'linked["Field"]',
      'A field of the linked task whose values are set; in `update_linked_tasks` only.',
      'linked["Amount"] * 2',
      '20',
    ),
  ],
  [
    'before',
    term(
      'before["Field"]',
      'A field of the task as an event found it; in `when` of webhooks, and in `when` and `fields` of rules only.',
      'before.Stage == "Open"',
      true,
    ),
  ],
  [
    'actor',
    term(
      'actor["kind"], actor["id"], actor["name"]',
      'Who made the change, as events tell it: `key`, `user`, `rule`, `clock` …, and of a key its name; in `when` and `fields` of rules only, where `approval`, `comment`, `item`, `execution` and `body` are known to the triggers that name them.',
      'actor["kind"] == "user"',
      true,
    ),
  ],
  [
    'performer',
    term(
      'performer',
      'The e-mail of the user who acts; null where the API key itself does.',
      'performer == "mina@acme.test"',
      true,
    ),
  ],
]);

/** Functions, called as `size(x)`. Expressions can call only what is in these tables. */
export const functions: ReadonlyMap<string, Term> = new Map([
  ['today', term('today()', 'The day, in the time zone of the workspace.', 'today()', '2026-03-02')],
  [
    'now',
    term(
      'now()',
      'The moment in UTC, as a `datetime` shows it; of an execution, when it began to run.',
      'now()',
      '2026-03-02T09:30:00.000Z',
    ),
  ],
  [
    'overdue',
    term(
      'overdue("clock"), overdue()',
      'Whether this clock of the task is overdue, or any of its clocks; in requirements and steps only.',
      'overdue("review") && !overdue("close")',
      true,
    ),
  ],
  [
    'days_between',
    term(
      'days_between(from, to)',
      'How many days it is from one date to another; below 0 where that is earlier.',
      'days_between(today(), task.Due)',
      '3',
    ),
  ],
  [
    'add_days',
    term(
      'add_days(date, days)',
      'The date so many days later; earlier where `days` is negative.',
      'add_days(task.Due, 7)',
      '2026-03-12',
    ),
  ],
  [
    'round',
    term(
      'round(number, places)',
      'Rounds to 0 to 20 decimal places, half away from zero.',
      'round(2.345, 2)',
      '2.35',
    ),
  ],
  ['abs', term('abs(number)', 'The number without its sign.', 'abs(2 - task["Unit Price"])', '10.5')],
  [
    'min',
    term(
      'min(a, b, …), min(list)',
      'The least of numbers, or of texts; blanks do not count, and of nothing it is null.',
      'min(task["Unit Price"], 10)',
      '10',
    ),
  ],
  [
    'max',
    term(
      'max(a, b, …), max(list)',
      'The greatest, by the same rules.',
      'max(today(), task.Due)',
      '2026-03-05',
    ),
  ],
  [
    'sum',
    term(
      'sum(list)',
      'The numbers of a list added up; blanks do not count, and of nothing it is 0.',
      'sum([task["Unit Price"], 0.5, task.Notes])',
      '13',
    ),
  ],
  [
    'matches',
    term(
      'matches(text, "pattern"), text.matches("pattern")',
      'Whether the text, or a part of it, matches a regular expression in RE2 syntax; `^` and `$` stand for its ends. The pattern stands in quotes, with 500 characters at most.',
      'matches(task.Name, r"^[A-Z]\\w+$")',
      true,
    ),
  ],
  [
    'size',
    term(
      'size(value)',
      'How many characters a text, or how many members a list has.',
      'size(task.Regions)',
      '2',
    ),
  ],
  [
    'has',
    term('has(task.Name)', 'Whether there is such a key: true even if it is blank.', 'has(task.Notes)', true),
  ],
  [
    'decimal',
    term('decimal(text)', 'The number that a text or a whole number spells.', 'decimal("1.50") * 2', '3'),
  ],
  ['int', term('int(number)', 'The number without its fraction, as a whole number.', 'int(12.75)', '12')],
  ['string', term('string(value)', 'The value as a text.', 'string(12.50) + " €"', '12.5 €')],
  ['bool', term('bool(text)', 'The truth that a text spells: `true` or `false`.', 'bool("true")', true)],
  [
    'dyn',
    term(
      'dyn(value)',
      'The value itself, of a type that is only known when it is evaluated.',
      'dyn(task.Name)',
      'Desk',
    ),
  ],
]);

/** Methods, called as `x.size()`. */
export const methods: ReadonlyMap<string, Term> = new Map([
  [
    'contains',
    term(
      'text.contains(part)',
      'Whether the text has this part, in this case.',
      'task.Name.contains("esk")',
      true,
    ),
  ],
  ['startsWith', term('text.startsWith(part)', 'Whether it begins so.', 'task.Name.startsWith("D")', true)],
  ['endsWith', term('text.endsWith(part)', 'Whether it ends so.', 'task.Name.endsWith("D")', false)],
  [
    'indexOf',
    term(
      'text.indexOf(part), text.indexOf(part, from)',
      'Where the part first stands, counted from 0; -1 where it does not.',
      'task.Name.indexOf("s")',
      '2',
    ),
  ],
  [
    'lastIndexOf',
    term(
      'text.lastIndexOf(part), text.lastIndexOf(part, from)',
      'Where the part last stands.',
      '"a-b-c".lastIndexOf("-")',
      '3',
    ),
  ],
  [
    'substring',
    term(
      'text.substring(start), text.substring(start, end)',
      'What stands from one place up to another.',
      'task.Name.substring(0, 2)',
      'De',
    ),
  ],
  ['trim', term('text.trim()', 'The text without white space at its ends.', '" Desk ".trim()', 'Desk')],
  [
    'lowerAscii',
    term('text.lowerAscii()', 'The text with A to Z as small letters.', 'task.Name.lowerAscii()', 'desk'),
  ],
  [
    'upperAscii',
    term('text.upperAscii()', 'The text with a to z as capitals.', 'task.Name.upperAscii()', 'DESK'),
  ],
  [
    'split',
    term(
      'text.split(mark), text.split(mark, most)',
      'The pieces between the marks; the last of at most so many holds the rest.',
      '"a,b".split(",")',
      ['a', 'b'],
    ),
  ],
  [
    'join',
    term(
      'list.join(), list.join(mark)',
      'The texts of a list as one text.',
      'task.Regions.join(", ")',
      'EMEA, APAC',
    ),
  ],
  ['size', term('text.size(), list.size()', 'The same as `size(value)`.', 'task.Name.size()', '4')],
]);

/** Methods that evaluate their last arguments for each member of a list. */
export const macros: ReadonlyMap<string, Term> = new Map([
  [
    'all',
    term(
      'list.all(x, condition)',
      'Whether the condition is true of every member.',
      'task.Regions.all(region, size(region) == 4)',
      true,
    ),
  ],
  [
    'exists',
    term(
      'list.exists(x, condition)',
      'Whether it is true of one or more.',
      'task.Regions.exists(region, region == "EMEA")',
      true,
    ),
  ],
  [
    'exists_one',
    term(
      'list.exists_one(x, condition)',
      'Whether it is true of just one.',
      'task.Regions.exists_one(region, region.startsWith("A"))',
      true,
    ),
  ],
  [
    'filter',
    term(
      'list.filter(x, condition)',
      'The members of which it is true.',
      'task.Regions.filter(region, region != "EMEA")',
      ['APAC'],
    ),
  ],
  [
    'map',
    term(
      'list.map(x, value)',
      'A list with this value for each member.',
      'task.Regions.map(region, region.lowerAscii())',
      ['emea', 'apac'],
    ),
  ],
]);

/** The operators. */
export const operators: readonly Term[] = [
  term(
    '+  -  *  /  %',
    'Exact arithmetic; between two whole numbers, `/` leaves the rest out.',
    '7.0 / 2',
    '3.5',
  ),
  term('+', 'Joins two texts, or two lists.', 'task.Name + "!"', 'Desk!'),
  term(
    '==  !=  <  <=  >  >=',
    'Compare. Dates and texts stand in the order of their characters.',
    'task.Due < today()',
    false,
  ),
  term('x in list', 'Whether the value is a member.', '"EMEA" in task.Regions', true),
  term('&&  ||  !', 'And, or, not.', 'task.Notes == null || size(task.Notes) < 10', true),
  term(
    'condition ? a : b',
    'The one value or the other, of one kind; either may be null.',
    'task.Urgent ? "now" : "later"',
    'later',
  ),
  term(
    'task["Relationship"]["Field"]',
    'A field of the task that is linked under this name; null where there is none. `task["Relationship"] == null` asks that.',
    'task["Supplier"]["Country"] == "DE"',
    true,
  ),
  term(
    'task["Relationship"].all(x, x["Field"] …)',
    'Of many linked tasks: `all`, `exists`, `exists_one`, `filter`, `map`, `size()` and `[0]`; 1,000 tasks at most.',
    'sum(task["Orders"].filter(o, o["Stage"] != "Void").map(o, o["Amount"]))',
    '30',
  ),
  term('list[place]', 'A member of a list, counted from 0.', 'task.Regions[1]', 'APAC'),
];

function term(usage: string, description: string, example: string, result: Term['result']): Term {
  return { usage, description, example, result };
}
