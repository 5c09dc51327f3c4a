import fc from 'fast-check';
import { separators } from '../../../src/workflows/fields/list-query.js';

// The law of lists once more, in memory, as plainly as it can be said.

/** A task as a response shows it. */
export type Task = Readonly<Record<string, unknown>>;
type Value = string | boolean | readonly string[];
/** What one value is compared by: number by number, and of two that begin alike the shorter is less. */
type Key = readonly (number | bigint)[];

/** A filterable key of a task, and all that the law says of its type. */
export interface Field {
  readonly name: string;
  readonly operators: readonly string[];
  /** What tasks hold, of few enough values that many tasks hold the same. */
  readonly values: fc.Arbitrary<Value>;
  /** What filters ask for; never blank. */
  readonly texts: fc.Arbitrary<string>;
  readonly mayBeBlank: boolean;
  /** Reads what a response shows or what a filter asks for. */
  keyOf(text: string): Key;
}

export interface Filter {
  readonly field: Field;
  readonly operator: string;
  readonly texts: readonly string[];
}

export interface SortKey {
  readonly field: Field;
  readonly isDescending: boolean;
}

export const tiers = ['Silver', 'Gold', 'Bronze'];
export const regions = ['EMEA', 'AMER', 'APAC'];
/** When the first task was made; each later one a millisecond later. */
export const madeAt = Date.parse('2026-05-01T00:00:00Z');
const stages = ['New', 'In Review', 'Done'];
const users = ['Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test', 'éva@acme.test'];

const tricky = ['a', 'B', 'b', 'ß', 'ẞ', 'σ', 'ς', 'Σ', 'é', 'É', 'ﬁ', 'ı', 'K', '😀', '\uffff', ' ', '%', '_', '\\', '"', '{', ',', '0', '1']; // prettier-ignore
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'A', 'b', 'ab', 'ß', 'SS', '10', '9', '😀', '\uffff', ' ') },
  fc.string({ unit: fc.constantFrom(...tricky), minLength: 1, maxLength: 5 }),
);
const lines = fc.tuple(words, fc.option(words)).map(([one, two]) => (two === null ? one : `${one}\n${two}`));
const numbers = fc.oneof(
  fc.constantFrom('10', '10.0', '10.00', '9', '-9', '-10', '0', '-0', '0.5', '-0.5'),
  fc.bigInt(-(10n ** 30n), 10n ** 30n).map(String),
  fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(99)).map((parts) => parts.join('.')),
);
const finer = numbers.map((text) => `${text}${text.includes('.') ? '' : '.'}0000001`);
const instants = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const days = fc.oneof(
  fc.constantFrom('2026-02-03', '2026-02-28', '2026-03-01', '0999-12-31'),
  instants.map((instant) => instant.slice(0, 10)),
);
const edges = fc.constantFrom('2026-02-03T00:00:00.000Z', '2026-02-02T23:59:59.999Z', '2026-02-03T00:00:00.001Z'); // prettier-ignore
/** The same instant as clocks elsewhere show it, whose difference from UTC is in minutes. */
const offsets = fc.constantFrom<[string, number]>(['+00:00', 0], ['+01:30', 90], ['-05:00', -300], ['+23:59', 1439]); // prettier-ignore
const moments = fc
  .tuple(fc.oneof(edges, instants), offsets)
  .map(([at, [text, ms]]) => new Date(Date.parse(at) + ms * 60_000).toISOString().replace('Z', text));
const madeNear = fc.integer({ min: -5, max: 205 }).map((n) => new Date(madeAt + n).toISOString());
const people = fc.constantFrom(...users).chain((email) => fc.constantFrom(email, email.toUpperCase()));
const ids = fc.nat(160).map((n) => `t${n}`);

const field = (name: string, values: fc.Arbitrary<string>, more: Partial<Field> = {}): Field => ({
  name,
  values,
  operators: ['', 'ne', 'gt', 'gte', 'lt', 'lte'],
  texts: values.filter((text) => text.trim() !== ''),
  mayBeBlank: true,
  keyOf: (text) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
  ...more,
});
const textual = (name: string, values: fc.Arbitrary<string>, more: Partial<Field> = {}): Field =>
  field(name, values, { operators: ['', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains'], ...more });
const timed = (name: string, values: fc.Arbitrary<string>, mayBeBlank = true): Field =>
  field(name, values, { keyOf: (text) => [Date.parse(text)], mayBeBlank });
/** Values without a rank are sorted last. */
const ranked = (name: string, ranks: readonly string[], more: Partial<Field> = {}): Field =>
  field(name, fc.constantFrom(...ranks), {
    keyOf: (text) => [ranks.includes(text) ? ranks.indexOf(text) : ranks.length],
    ...more,
  });
const numeric = (name: string): Field =>
  field(name, numbers, { keyOf: (text) => [scaled(text)], texts: fc.oneof(numbers, finer) });
const person = (name: string): Field => {
  const plain = field(name, people);
  const spelled = (text: string): string | undefined =>
    users.find((email) => email.toLowerCase() === text.toLowerCase());
  return { ...plain, keyOf: (text) => plain.keyOf(spelled(text) ?? '') };
};

export const fields: readonly Field[] = [
  textual('ID', ids, { mayBeBlank: false }),
  ranked('Stage', stages, { mayBeBlank: false }),
  person('Assigned To'),
  textual('Text', words),
  textual('Long Text', lines),
  numeric('Number'),
  numeric('Price'),
  textual('Phone', fc.constantFrom('+1 555 0100', '911', '020 7946 0000', '(555) 0100 x12')),
  timed('Day', days),
  timed('Moment', moments),
  person('Owner'),
  ranked('Tier', tiers, { values: fc.constantFrom(...tiers, 'Removed') }),
  ranked('Regions', regions, {
    values: fc.subarray([...regions, 'Removed']),
    operators: ['', 'ne', 'contains'],
  }),
  ranked('Open?', ['false', 'true'], { values: fc.boolean(), mayBeBlank: false }),
  textual('E-mail', fc.constantFrom('a@x.test', 'A@x.test', 'b@x.test', 'éva@x.test', 'zoe@sub.x.test')),
  textual('Website', fc.constantFrom('http://x.test/', 'https://x.test/A', 'https://x.test/a?b=%C3%9F')),
  timed('_created', madeNear, false),
  timed('_updated', madeNear, false),
];

/** Words of all texts of a task: no key of its own, and given once. */
export const searched = field('_search', words, {
  operators: [''],
  texts: fc.tuple(words, fc.option(ids)).map(([word, id]) => `${word} ${id ?? ''}`).filter((text) => wordsIn(text).length > 0), // prettier-ignore
  mayBeBlank: false,
});
const searchedFields = fields.filter(({ name }) => /^(?:ID|(?:Long )?Text|Phone|E-mail|Website)$/.test(name));

/** Tasks to create, but for their IDs. */
export const payloads = fc.record(
  Object.fromEntries(
    fields
      .filter(({ name }) => name !== 'ID' && !name.startsWith('_'))
      .map(({ name, values, mayBeBlank }) => [name, mayBeBlank ? fc.option(values, { freq: 4 }) : values]),
  ),
);

export const sorts: fc.Arbitrary<readonly SortKey[]> = fc.uniqueArray(
  fc.record({ field: fc.constantFrom(...fields), isDescending: fc.boolean() }),
  { minLength: 1, maxLength: 3, selector: ({ field }) => field.name },
);

const manyTexts = (text: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(text, { minLength: 1, maxLength: 3 }) },
    fc.array(text, { minLength: 9, maxLength: 14 }),
  );

const filter: fc.Arbitrary<Filter> = fc.constantFrom(...fields, searched, searched).chain((field) =>
  fc.constantFrom('', '', ...field.operators).chain((operator) => {
    const mayAskForBlank = field.mayBeBlank && ['', 'ne'].includes(operator);
    const text = mayAskForBlank
      ? fc.oneof({ weight: 5, arbitrary: field.texts }, fc.constant(''))
      : field.texts;
    const texts = field === searched ? text.map((one) => [one]) : manyTexts(text);
    return fc.record({ field: fc.constant(field), operator: fc.constant(operator), texts });
  }),
);

export const filters = (minLength: number, maxLength: number): fc.Arbitrary<readonly Filter[]> =>
  fc.uniqueArray(filter, { minLength, maxLength, selector: ({ field, operator }) => field.name + operator });

/** The tasks that a list has, in its order; they are given in the order of creation. */
export function listed(
  tasks: readonly Task[],
  { filters = [], sort = [], isActive = false }: { filters?: readonly Filter[]; sort?: readonly SortKey[]; isActive?: boolean }, // prettier-ignore
): Task[] {
  return tasks
    .filter((task) => filters.every((filter) => meets(task, filter)))
    .filter((task) => !(isActive && task['Stage'] === 'Done'))
    .toSorted((one, other) => compareBy(sort, one, other));
}

function meets(task: Task, { field, operator, texts }: Filter): boolean {
  if (field === searched) {
    const held = searchedFields.flatMap((one) => valuesOf(task, one)).flatMap(wordsIn);
    return texts.flatMap(wordsIn).every((word) => held.some((one) => one.startsWith(word)));
  }
  const values = valuesOf(task, field);
  const orders = (text: string): number[] =>
    values.map((value) => compare(field.keyOf(value), field.keyOf(text)));
  const isOneOf = texts.some((text) => (text === '' ? values.length === 0 : orders(text).includes(0)));
  if (operator === '' || (operator === 'contains' && field.name === 'Regions')) return isOneOf;
  if (operator === 'ne') return !isOneOf;
  if (operator === 'contains')
    return values.some((value) => texts.some((text) => value.toUpperCase().includes(text.toUpperCase())));
  return texts
    .flatMap(orders)
    .some((order) => (order === 0 ? operator.endsWith('e') : order > 0 === operator.startsWith('g')));
}

const wordsIn = (text: string): string[] =>
  text.normalize('NFC').toUpperCase().split(separators).filter((word) => word !== ''); // prettier-ignore

/** The values that a task holds, as texts; none where it is blank. */
const valuesOf = (task: Task, { name }: Field): string[] =>
  [task[name] as Value | null].flat().flatMap((one) => (one === null ? [] : [String(one)]));

/** Blanks stand last in either direction; a stable sort leaves ties in the order of creation. */
function compareBy(sort: readonly SortKey[], one: Task, other: Task): number {
  for (const { field, isDescending } of sort) {
    const [a, b] = [keyOfAll(one, field), keyOfAll(other, field)];
    if (!a !== !b) return a ? -1 : 1;
    const order = a && b ? compare(a, b) : 0;
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}

/** Of several options, one by one in their order; undefined of none. */
function keyOfAll(task: Task, field: Field): Key | undefined {
  const keys = valuesOf(task, field).map((value) => field.keyOf(value));
  return keys.length === 0 ? undefined : keys.toSorted(compare).flat();
}

function compare(a: Key, b: Key): number {
  for (const [at, one] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (one !== other) return one < other ? -1 : 1;
  }
  return a.length === b.length ? 0 : -1;
}

/** A decimal text as a whole number of its fortieth places. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -size : size;
}
