import fc from 'fast-check';
import { everyType, workflowOf } from '../../support/definitions.js';
import { type Client, startService } from '../../support/service.js';
import {
  fields,
  type Filter,
  filters,
  listed,
  madeAt,
  payloads,
  regions,
  type SortKey,
  sorts,
  type Task,
  tiers,
} from './list-model.js';

const tasks = '/api/v1/workflows/things/tasks';

/** While the tasks are made there is one option more, which comes to be an option that the definition no longer has. */
const definition = (further = ''): string =>
  everyType
    .replace(
      '  - { email: gone@acme.test, active: false }',
      '  - { email: Zoe@acme.test }\n  - { email: éva@acme.test }',
    ) // prettier-ignore
    .replace('name: Things', '$&\n    search: true')
    .replace('options: [Gold, Silver]', `options: [${tiers.join(', ')}${further}]`)
    .replace('options: [EMEA, AMER, APAC]', `options: [${regions.join(', ')}${further}]`);

const indexed = definition().replace(
  /type: (text|longText|number|currency|date|datetime|person|singleSelect|checkbox|url)\b/g,
  '$&, index: true',
);

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
      all = await api.read(`${tasks}?_fields=${encodeURIComponent(shown)}`);
      expect(idsOf(all)).toEqual(Array.from({ length: 150 }, (_, index) => `t${index}`));
    });

    describe.each([
      ['without indexes', definition()],
      ['with `index: true` wherever a field may say so', indexed],
    ])('%s', (_, yaml) => {
      beforeAll(() => service.apply(yaml));

      const pages = fc.integer({ min: 1, max: 6 });
      const law = (name: string, cases: fc.Arbitrary<Parameters<typeof listed>[1]>): void => {
        it(name, async () => {
          const obeyed = fc.asyncProperty(cases, pages, async (asked, count) => {
            const expected = idsOf(listed(all, asked));
            const path = `${tasks}${asked.isActive ? '/active' : ''}?${queryOf(asked)}`;
            const { headers, body } = await api.get(`${path}&_count=true`).expect(200);
            expect([path, idsOf(body as Task[])]).toEqual([path, expected]);
            expect(headers).toHaveProperty('x-total-count', `${expected.length}`);
            const size = Math.ceil(expected.length / count) || 1;
            expect(idsOf(await walk(api, path, [size]))).toEqual(expected);
          });
          await fc.assert(obeyed, { seed, numRuns: 45 });
        });
      };

      law(
        'a filter finds what a filter in memory finds, on pages and as a whole',
        fc.record({ filters: filters(1, 3), isActive: fc.boolean() }),
      );
      law(
        'a sort is a stable sort in memory, on pages and as a whole',
        fc.record({ filters: filters(0, 1), sort: sorts }),
      );
    });
  });

  describe('of a workflow that others write to', () => {
    const taskOf = (id: string, n: number): Task => ({ ID: `${id}-${n}`, Text: 'abcdef'[n % 7], N: n % 5 });
    let api: Client;

    beforeAll(async () => {
      const texts = ['name: ID, type: uniqueId, required: true', 'name: Text, type: text', 'name: N, type: number']; // prettier-ignore
      api = await service.clientOf(workflowOf(texts, 'busy'));
      for (let n = 0; n < 60; n += 1) await api.post(tasks, taskOf('old', n)).expect(201);
    });

    const sizesOfPages = fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1 });

    it.each(['_created', '-_created', 'Text', '-N,Text'])(
      'a walk by %s returns each older task exactly once and in order',
      async (sort) => {
        const path = `${tasks}?_sort=${sort}`;
        const expected = idsOf(await api.read<Task[]>(path));
        let newer = 0;
        const law = fc.asyncProperty(sizesOfPages, async (sizes) => {
          const found = idsOf(await whilePosting(() => walk(api, path, sizes)));
          expect(found.filter((id) => expected.includes(id))).toEqual(expected);
          expect(new Set(found).size).toBe(found.length);
          newer += found.length - expected.length;
        });
        await fc.assert(law, { seed, numRuns: 15, endOnFailure: true });
        // What was created meanwhile stands in front of a walk from the newest, and else mostly behind some page.
        if (sort !== '-_created') expect(newer).toBeGreaterThan(0);
      },
    );

    /** Does the work while four clients create tasks all over the list, which are removed then. */
    async function whilePosting<T>(work: () => Promise<T>): Promise<T> {
      let isDone = false;
      // No more than these, for a walk in the order of creation would never come to their end.
      let count = 0;
      const post = async (): Promise<void> => {
        while (!isDone && count < 60) await api.post(tasks, taskOf('new', (count += 1))).expect(201);
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

function queryOf({
  filters = [],
  sort = [],
}: {
  filters?: readonly Filter[];
  sort?: readonly SortKey[];
}): string {
  const asked = filters.flatMap(({ field: { name }, operator, texts }) =>
    texts.map((text) => [operator === '' ? name : `${name}[${operator}]`, text]),
  );
  const keys = sort.map(({ field, isDescending }) => (isDescending ? '-' : '') + field.name);
  return new URLSearchParams([...asked, ...(keys.length > 0 ? [['_sort', keys.join(',')]] : [])]).toString();
}

const idsOf = (list: readonly Task[]): unknown[] => list.map(({ ID }) => ID);

/** All pages of a list, by Link; the sizes of the pages take turns. */
async function walk(api: Client, path: string, sizes: readonly number[]): Promise<Task[]> {
  const found: Task[] = [];
  for (let page = 0, next: string | undefined = path; next !== undefined; page += 1) {
    const at: URL = new URL(next, 'http://localhost:3000');
    at.searchParams.set('_limit', `${sizes[page % sizes.length]}`);
    const { headers, body } = await api.get(at.pathname + at.search).expect(200);
    found.push(...(body as Task[]));
    next = /^<([^>]*)>; rel="next"$/.exec((headers as { link?: string }).link ?? '')?.[1];
  }
  return found;
}
