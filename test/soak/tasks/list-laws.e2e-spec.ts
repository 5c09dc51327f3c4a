import fc from 'fast-check';
import { type Response } from 'supertest';
import { separators } from '../../../src/workflows/fields/list-query.js';
import { everyType, workflowOf } from '../../support/definitions.js';
import { type Client, startService } from '../../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

/** A task as a response shows it. */
type Task = Readonly<Record<string, unknown>>;
type Value = string | number | boolean | null | readonly string[];

/** What one value is compared by: number by number, and of two that begin alike the shorter is less. */
type Key = readonly (number | bigint)[];

/** A filterable key of a task, and all that the law says of its type. */
interface Field {
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

interface Filter {
  readonly field: Field;
  readonly operator: string;
  readonly texts: readonly string[];
}

interface SortKey {
  readonly field: Field;
  readonly isDescending: boolean;
}

const stages = ['New', 'In Review', 'Done'];
const users = ['Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test', 'éva@acme.test'];
const tiers = ['Silver', 'Gold', 'Bronze'];
const regions = ['EMEA', 'AMER', 'APAC'];

/** While the tasks are made there is one option more, which comes to be an option that the definition no longer has. */
const definition = (further = ''): string =>
  everyType
    .replace(
      '  - { email: gone@acme.test, active: false }',
      '  - { email: Zoe@acme.test }\n  - { email: éva@acme.test }',
    )
    .replace('name: Things', '$&\n    search: true')
    .replace('options: [Gold, Silver]', `options: [${[...tiers].join(', ')}${further}]`)
    .replace('options: [EMEA, AMER, APAC]', `options: [${regions.join(', ')}${further}]`);

const indexed = (yaml: string): string =>
  yaml.replace(
    /type: (text|longText|number|currency|date|datetime|person|singleSelect|checkbox|url)\b/g,
    '$&, index: true',
  );

const comparisons = ['gt', 'gte', 'lt', 'lte'];

const tricky = fc.string({
  unit: fc.constantFrom('a', 'B', 'b', 'ß', 'ẞ', 'σ', 'ς', 'Σ', 'é', 'É', 'ﬁ', 'ı', 'K', '😀', '\uffff', ' ', '%', '_', '\\', '"', '{', ',', '0', '1'), // prettier-ignore
  minLength: 1,
  maxLength: 5,
});
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'A', 'b', 'ab', 'ß', 'SS', '10', '9', '😀', '\uffff', ' ') },
  tricky,
);
const lines = fc.oneof(
  { weight: 3, arbitrary: words },
  fc.tuple(words, words).map(([first, second]) => `${first}\n${second}`),
);
const numbers = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('10', '10.0', '10.00', '9', '-9', '-10', '0', '-0', '0.5', '-0.5'),
  },
  fc.bigInt(-(10n ** 30n), 10n ** 30n).map(String),
  fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(99)).map(([whole, cents]) => `${whole}.${cents}`),
);
const days = fc.oneof(
  fc.constantFrom('2026-02-03', '2026-02-28', '2026-03-01', '0999-12-31'),
  fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)), // prettier-ignore
);
const moments = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('2026-02-03T00:00:00Z', '2026-02-02T23:59:59.999Z', '2026-02-03T00:00:00.001Z'),
      fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString()), // prettier-ignore
    ),
    fc.constantFrom(0, 90, -300, 1439),
  )
  .map(([instant, minutes]) => spell(instant, minutes));
const people = fc.constantFrom(...users).chain((email) => fc.constantFrom(email, email.toUpperCase()));
const madeAt = Date.parse('2026-05-01T00:00:00Z');
const madeNear = fc.integer({ min: -5, max: 205 }).map((n) => new Date(madeAt + n).toISOString());

const textual = (name: string, values: fc.Arbitrary<string>): Field => ({
  name,
  operators: ['', 'ne', ...comparisons, 'contains'],
  values,
  texts: values.filter((text) => text.trim() !== ''),
  mayBeBlank: true,
  keyOf: codePoints,
});

const compared = (name: string, values: fc.Arbitrary<string>, keyOf: Field['keyOf']): Field => ({
  ...textual(name, values),
  operators: ['', 'ne', ...comparisons],
  keyOf,
});

const timed = (name: string, values: fc.Arbitrary<string>): Field =>
  compared(name, values, (text) => [Date.parse(text)]);

const ranked = (name: string, ranks: readonly string[], further: readonly string[] = []): Field => ({
  ...compared(name, fc.constantFrom(...ranks, ...further), rankAmong(ranks)),
  texts: fc.constantFrom(...ranks),
});

const numeric = (name: string): Field => ({
  ...compared(name, numbers, (text) => [scaled(text)]),
  texts: fc.oneof(
    { weight: 5, arbitrary: numbers },
    numbers.map((text) => `${text}${text.includes('.') ? '' : '.'}0000001`),
  ),
});

const person = (name: string): Field =>
  compared(name, people, (text) =>
    codePoints(users.find((email) => email.toLowerCase() === text.toLowerCase()) ?? ''),
  );

const ids = fc.integer({ min: 0, max: 160 }).map((n) => `t${n}`);

const fields: readonly Field[] = [
  { ...textual('ID', ids), mayBeBlank: false },
  { ...ranked('Stage', stages), mayBeBlank: false },
  person('Assigned To'),
  textual('Text', words),
  textual('Long Text', lines),
  numeric('Number'),
  numeric('Price'),
  textual('Phone', fc.constantFrom('+1 555 0100', '911', '020 7946 0000', '(555) 0100 x12')),
  timed('Day', days),
  timed('Moment', moments),
  person('Owner'),
  ranked('Tier', tiers, ['Removed']),
  {
    name: 'Regions',
    operators: ['', 'ne', 'contains'],
    values: fc.subarray([...regions, 'Removed']),
    texts: fc.constantFrom(...regions),
    mayBeBlank: true,
    keyOf: rankAmong(regions),
  },
  {
    name: 'Open?',
    operators: ['', 'ne', ...comparisons],
    values: fc.boolean(),
    texts: fc.constantFrom('true', 'false'),
    mayBeBlank: false,
    keyOf: (text) => [text === 'true' ? 1 : 0],
  },
  textual('E-mail', fc.constantFrom('a@x.test', 'A@x.test', 'b@x.test', 'éva@x.test', 'zoe@sub.x.test')),
  textual('Website', fc.constantFrom('http://x.test/', 'https://x.test/A', 'https://x.test/a?b=%C3%9F')),
  { ...timed('_created', madeNear), mayBeBlank: false },
  { ...timed('_updated', madeNear), mayBeBlank: false },
];

/** Words of all texts of a task: no key of its own, and given once. */
const searched: Field = {
  ...textual('_search', words),
  operators: [''],
  texts: fc.oneof(words, fc.tuple(words, ids).map(([word, id]) => `${word} ${id}`)).filter((text) => wordsIn(text).length > 0), // prettier-ignore
  mayBeBlank: false,
};
const searchedFields = fields.filter(({ name }) => /^(?:ID|(?:Long )?Text|Phone|E-mail|Website)$/.test(name));

// The tasks and all runs follow from this number: put the one that a failure names here to see it again.
const seed = Date.now() % 2 ** 31;

const service = await startService();
afterAll(() => service.stop());

describe(`4.1 lists obey the law, whatever is asked (seed ${seed})`, () => {
  describe('of 150 tasks', () => {
    let api: Client;
    /** In the order of creation. */
    let all: readonly Task[];

    beforeAll(async () => {
      api = await service.clientOf(definition(', Removed'));
      for (const [index, task] of fc.sample(payloads, { numRuns: 150, seed }).entries())
        await api.post(tasks, { ...task, ID: `t${index}` }).expect(201);
      // A task for each millisecond; changes of several tasks at one time.
      await service.dataSource.query(
        `UPDATE tasks SET created_at = $1::timestamptz + n * interval '1 ms',
           updated_at = $1::timestamptz + (150 + n * 7 % 50) * interval '1 ms'
         FROM (SELECT id, substr(unique_value, 2)::integer AS n FROM tasks) numbered
         WHERE numbered.id = tasks.id`,
        [new Date(madeAt)],
      );
      const shown = fields.map(({ name }) => name).join(',');
      all = (await api.get(`${tasks}?_fields=${encodeURIComponent(shown)}`).expect(200)).body as Task[];
      expect(idsOf(all)).toEqual(Array.from({ length: 150 }, (_, index) => `t${index}`));
    });

    describe.each([
      ['without indexes', definition()],
      ['with `index: true` wherever a field may say so', indexed(definition())],
    ])('%s', (_, yaml) => {
      beforeAll(() => service.apply(yaml));

      it('a filter finds what a filter in memory finds', async () => {
        await fc.assert(
          fc.asyncProperty(
            someFilters(1, 3),
            numbersOfPages,
            fc.boolean(),
            async (filters, count, isActive) => {
              const expected = idsOf(all.filter((task) => isListed(task, filters, isActive)));
              const path = isActive ? `${tasks}/active` : tasks;
              const { headers, body } = await api.get(`${path}?${queryOf(filters)}&_count=true`).expect(200);
              expect(idsOf(body as Task[])).toEqual(expected);
              expect(headers).toHaveProperty('x-total-count', `${expected.length}`);
              const size = Math.ceil(expected.length / count) || 1;
              const pages = await walk(api, `${path}?${queryOf(filters)}`, [size]);
              expect(idsOf(pages)).toEqual(expected);
            },
          ),
          { seed, numRuns: 45 },
        );
      });

      it('a sort is a stable sort in memory, on pages and as a whole', async () => {
        await fc.assert(
          fc.asyncProperty(sorts, someFilters(0, 1), numbersOfPages, async (sort, filters, count) => {
            const expected = idsOf(
              all.filter((task) => isListed(task, filters, false)).toSorted((a, b) => compareBy(sort, a, b)),
            );
            const query = `${queryOf(filters)}&_sort=${encodeURIComponent(nameOf(sort))}`;
            const { body } = await api.get(`${tasks}?${query}`).expect(200);
            expect(idsOf(body as Task[])).toEqual(expected);
            const size = Math.ceil(expected.length / count) || 1;
            expect(idsOf(await walk(api, `${tasks}?${query}`, [size]))).toEqual(expected);
          }),
          { seed, numRuns: 45 },
        );
      });
    });
  });

  describe('of a workflow that others write to', () => {
    const older = Array.from({ length: 60 }, (_, n) => ({ ID: `old-${n}`, Text: 'abcdef'[n % 7], N: n % 5 }));
    let api: Client;

    beforeAll(async () => {
      const texts = ['name: ID, type: uniqueId, required: true', 'name: Text, type: text', 'name: N, type: number']; // prettier-ignore
      api = await service.clientOf(workflowOf(texts, 'busy'));
      for (const task of older) await api.post(tasks, task).expect(201);
    });

    it.each(['_created', '-_created', 'Text', '-N,Text'])(
      'a walk by %s returns each older task exactly once and in order',
      async (sort) => {
        const expected = idsOf((await api.get(`${tasks}?_sort=${sort}`).expect(200)).body as Task[]);
        let newer = 0;
        const law = fc.asyncProperty(sizesOfPages, async (sizes) => {
          const found = idsOf(await whilePosting(() => walk(api, `${tasks}?_sort=${sort}`, sizes)));
          expect(found.filter((id) => expected.includes(id))).toEqual(expected);
          expect(new Set(found).size).toBe(found.length);
          newer += found.length - expected.length;
        });
        await fc.assert(law, { seed, numRuns: 15, endOnFailure: true });
        // What was created meanwhile stands in front of a walk from the newest, and else mostly behind some page.
        if (sort !== '-_created') expect(newer).toBeGreaterThan(0);
      },
    );

    const sizesOfPages = fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1 });

    /** Does the work while four clients create tasks all over the list, which are removed then. */
    async function whilePosting<T>(work: () => Promise<T>): Promise<T> {
      let isDone = false;
      let count = 0;
      const post = async (): Promise<void> => {
        // No more than these, for a walk in the order of creation would never come to their end.
        while (!isDone && count < 60) {
          count += 1;
          await api.post(tasks, { ID: `new-${count}`, Text: 'abcdef'[count % 7], N: count % 5 }).expect(201);
        }
      };
      const posting = Promise.all([post(), post(), post(), post()]);
      try {
        return await work();
      } finally {
        isDone = true;
        await posting;
        await service.dataSource.query(`DELETE FROM tasks WHERE unique_value LIKE 'new-%'`);
      }
    }
  });
});

const payloads = fc.record(
  Object.fromEntries(
    fields
      .filter(({ name }) => name !== 'ID' && !name.startsWith('_'))
      .map(({ name, values, mayBeBlank }) => [name, mayBeBlank ? fc.option(values, { freq: 4 }) : values]),
  ),
);

const numbersOfPages = fc.integer({ min: 1, max: 6 });

const sorts = fc
  .uniqueArray(fc.record({ field: fc.constantFrom(...fields), isDescending: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ field }) => field.name,
  })
  .map(printable(nameOf));

function someFilters(minLength: number, maxLength: number): fc.Arbitrary<readonly Filter[]> {
  const filter = fc.constantFrom(...fields, searched, searched).chain((field) =>
    fc.constantFrom('', '', ...field.operators).chain((operator) => {
      const mayBeBlank = field.mayBeBlank && (operator === '' || operator === 'ne');
      const text = mayBeBlank
        ? fc.oneof({ weight: 5, arbitrary: field.texts }, fc.constant(''))
        : field.texts;
      const few = fc.array(text, { minLength: 1, maxLength: field === searched ? 1 : 3 });
      const texts =
        field === searched
          ? few
          : fc.oneof({ weight: 4, arbitrary: few }, fc.array(text, { minLength: 9, maxLength: 14 }));
      return fc.record({ field: fc.constant(field), operator: fc.constant(operator), texts });
    }),
  );
  return fc
    .uniqueArray(filter, { minLength, maxLength, selector: ({ field, operator }) => field.name + operator })
    .map(printable((filters) => decodeURIComponent(queryOf(filters).replaceAll('+', ' '))));
}

/** Lets a counterexample be printed as the query that it is. */
function printable<T extends object>(print: (value: T) => string): (value: T) => T {
  return (value) => Object.assign(value, { [fc.toStringMethod]: () => print(value) });
}

function queryOf(filters: readonly Filter[]): string {
  const pairs = filters.flatMap(({ field, operator, texts }) =>
    texts.map((text): [string, string] => [
      operator === '' ? field.name : `${field.name}[${operator}]`,
      text,
    ]),
  );
  return new URLSearchParams(pairs).toString();
}

function nameOf(sort: readonly SortKey[]): string {
  return sort.map(({ field, isDescending }) => (isDescending ? '-' : '') + field.name).join(',');
}

function idsOf(list: readonly Task[]): unknown[] {
  return list.map(({ ID }) => ID);
}

/** All pages of a list, by Link; the sizes of the pages take turns. */
async function walk(api: Client, path: string, sizes: readonly number[]): Promise<Task[]> {
  const found: Task[] = [];
  for (let page = 0, next: string | undefined = path; next !== undefined; page += 1) {
    const at = new URL(next, 'http://localhost:3000');
    at.searchParams.set('_limit', `${sizes[page % sizes.length]}`);
    const { headers, body }: Response = await api.get(at.pathname + at.search).expect(200);
    found.push(...(body as Task[]));
    const { link = '' } = headers as { link?: string };
    next = /^<([^>]*)>; rel="next"$/.exec(link)?.[1];
  }
  return found;
}

// The model: the law once more, as plainly as it can be said.

function isListed(task: Task, filters: readonly Filter[], isActive: boolean): boolean {
  return filters.every((filter) => meets(task, filter)) && !(isActive && task['Stage'] === 'Done');
}

function meets(task: Task, { field, operator, texts }: Filter): boolean {
  if (field === searched) {
    const held = searchedFields.flatMap((one) => valuesOf(task, one)).flatMap(wordsIn);
    return texts.flatMap(wordsIn).every((word) => held.some((one) => one.startsWith(word)));
  }
  const values = valuesOf(task, field);
  const isOneOf = texts.some((text) =>
    text === ''
      ? values.length === 0
      : values.some((value) => compare(field.keyOf(value), field.keyOf(text)) === 0),
  );
  if (operator === '') return isOneOf;
  if (operator === 'ne') return !isOneOf;
  if (operator === 'contains' && field.name === 'Regions') return isOneOf;
  return values.some((value) =>
    texts.some((text) => {
      if (operator === 'contains') return value.toUpperCase().includes(text.toUpperCase());
      const order = compare(field.keyOf(value), field.keyOf(text));
      if (order === 0) return operator.endsWith('e');
      return order > 0 === operator.startsWith('g');
    }),
  );
}

function wordsIn(text: string): string[] {
  return text.normalize('NFC').toUpperCase().split(separators).filter((word) => word !== ''); // prettier-ignore
}

/** The values that a task holds, as texts; none where it is blank. */
function valuesOf(task: Task, { name }: Field): string[] {
  const value = task[name] as string | boolean | null | string[];
  return [value].flat().flatMap((one) => (one === null ? [] : [String(one)]));
}

/** Blanks stand last in either direction; a stable sort leaves ties in the order of creation. */
function compareBy(sort: readonly SortKey[], a: Task, b: Task): number {
  for (const { field, isDescending } of sort) {
    const [one, other] = [valuesOf(a, field), valuesOf(b, field)];
    if (one.length === 0 || other.length === 0) {
      if (one.length !== other.length && one.length * other.length === 0) return one.length === 0 ? 1 : -1;
      continue;
    }
    const order = compare(keyOfAll(one, field), keyOfAll(other, field));
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}

/** Of several options, one by one in their order. */
function keyOfAll(values: readonly string[], field: Field): Key {
  return values.map((value) => field.keyOf(value)).toSorted(compare).flat(); // prettier-ignore
}

function compare(a: Key, b: Key): number {
  for (const [at, one] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (one !== other) return one < other ? -1 : 1;
  }
  return a.length === b.length ? 0 : -1;
}

function codePoints(text: string): Key {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** The place in the list; what is not in it stands behind. */
function rankAmong(ranks: readonly string[]): (text: string) => Key {
  return (text) => [ranks.includes(text) ? ranks.indexOf(text) : ranks.length];
}

/** A decimal text as a whole number of its fortieth places. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -size : size;
}

/** The instant as a clock that is so many minutes ahead of UTC shows it. */
function spell(instant: string, minutes: number): string {
  const shown = new Date(Date.parse(instant) + minutes * 60_000).toISOString().slice(0, -1);
  const two = (n: number): string => String(Math.trunc(n)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${shown}${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}
