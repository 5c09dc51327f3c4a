import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import {
  cursorOf,
  headersOf,
  idsOf,
  linkOf,
  listOf,
  origin,
  pagesOf,
  refusalOf,
  service,
  type Task,
  tasks,
  uniqueId,
} from './lists.js';

describe('4.1 lists', () => {
  describe('`_sort` (`Field` or `-Field`)', () => {
    /** For each type three values in their order; blanks stand last in both directions, ties in the order of creation. */
    const values: [name: string, ...values: unknown[]][] = [
      ['Text', 'Zebra', 'ﬁn', '😀'],
      ['Number', '-2', '9', '10.5'],
      ['Price', '9.5', '10', '12345678901234567890'],
      ['Day', '0999-12-31', '2026-02-03', '2026-10-01'],
      ['Moment', '2026-02-03T01:00:00+02:00', '2026-02-03T00:00:00Z', '2026-02-02T23:30:00-02:00'],
      ['Owner', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
      ['Assigned To', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
      ['Tier', 'Gold', 'Silver', 'Bronze'],
      ['Regions', ['EMEA'], ['EMEA', 'APAC'], ['AMER', 'APAC']],
    ];
    const numbers = new Map([['two', 1], ['three', 2], ['one', 0], ['again', 1]]); // prettier-ignore
    let api: Client;

    beforeAll(async () => {
      const definition = everyType
        .replace('gone@acme.test, active: false', 'Zoe@acme.test')
        .replace('[Gold, Silver]', '[Gold, Silver, Bronze]');
      api = await service.clientOf(definition);
      for (const ID of ['two', 'blank', 'three', 'one', 'again', 'empty']) {
        const at = numbers.get(ID);
        const valued = at === undefined ? [] : values.map(([name, ...three]) => [name, three[at]]);
        const Stage = at === undefined ? 'New' : ['New', 'In Review', 'Done'][at];
        const task: object = { ID, Stage, 'Open?': at === 2, ...Object.fromEntries(valued) };
        await api.post(tasks, task).expect(201);
      }
    });

    const up = ['one', 'two', 'again', 'three', 'blank', 'empty'];
    const down = ['three', 'two', 'again', 'one', 'blank', 'empty'];
    it.each([
      ...values.flatMap(([name]): [string, string[]][] => [
        [name, up],
        [`-${name}`, down],
      ]),
      ['ID', ['again', 'blank', 'empty', 'one', 'three', 'two']],
      ['-ID', ['two', 'three', 'one', 'empty', 'blank', 'again']],
      ['Stage', ['blank', 'one', 'empty', 'two', 'again', 'three']],
      ['-Stage', ['three', 'two', 'again', 'blank', 'one', 'empty']],
      ['Open?', ['two', 'blank', 'one', 'again', 'empty', 'three']],
      ['-Open?', ['three', 'two', 'blank', 'one', 'again', 'empty']],
      ['_created', ['two', 'blank', 'three', 'one', 'again', 'empty']],
      ['-_created', ['empty', 'again', 'one', 'three', 'blank', 'two']],
      ['Tier,-_created', ['one', 'again', 'two', 'three', 'empty', 'blank']],
      ['-Stage,Number,-ID', ['three', 'two', 'again', 'one', 'empty', 'blank']],
      ['Open?,-Tier,-_created', ['again', 'two', 'one', 'empty', 'blank', 'three']],
    ])('by %s: all at once, and page by page', async (sort, ids) => {
      expect(await idsOf(api, { _sort: sort })).toEqual(ids);
      expect((await pagesOf(api, { _sort: sort, _limit: '2' })).flat()).toEqual(ids);
    });

    it('goes with filters', async () => {
      const query = { _sort: '-Number', 'Number[lt]': '10' };
      expect(await pagesOf(api, { ...query, _limit: '2' })).toEqual([['two', 'again'], ['one']]);
    });

    it('by `_updated`, the time of the last change', async () => {
      const timed = await service.clientOf(workflowOf([uniqueId, 'name: Text, type: text'], 'timed'));
      for (const ID of ['a', 'b', 'c', 'd']) await timed.post(tasks, { ID }).expect(201);
      await service.dataSource.query(
        `UPDATE tasks SET updated_at = now() - interval '1 s' * (1 + ascii(unique_value) % 2), created_at = now()
         FROM workspaces w WHERE w.id = workspace_id AND w.slug = 'timed'`,
      );
      expect(await pagesOf(timed, { _sort: '_updated', _limit: '1' })).toEqual([['a'], ['c'], ['b'], ['d']]);
      expect(await idsOf(timed, { _sort: '-_updated,-_created' })).toEqual(['d', 'b', 'c', 'a']);
      await timed.put(tasks, { ID: 'a', Text: 'changed' }).expect(200);
      expect(await idsOf(timed, { _sort: '_updated' })).toEqual(['c', 'b', 'd', 'a']);
    });

    describe.each(['', ', index: true'])(
      'by texts that begin alike with 200 characters (field%s)',
      (index) => {
        const start = 'é'.repeat(200);
        let alike: Client;

        beforeAll(async () => {
          const workspace = index === '' ? 'alike' : 'indexed';
          const fields = [uniqueId, `name: Text, type: longText${index}`];
          alike = await service.clientOf(workflowOf(fields, workspace));
          const texts = { d: 'd', c1: 'c', a: 'a', c2: 'c', long: `b${'x'.repeat(150_000)}`, none: '' };
          for (const [ID, end] of Object.entries(texts))
            await alike.post(tasks, { ID, Text: start + end }).expect(201);
          await alike.post(tasks, { ID: 'first', Text: start.slice(1) }).expect(201);
          await alike.post(tasks, { ID: 'smile', Text: '😀'.repeat(201) }).expect(201);
          await alike.post(tasks, { ID: 'smiles', Text: '😀'.repeat(200) }).expect(201);
          await alike.post(tasks, { ID: 'blank' }).expect(201);
        });

        const begunAlike = ['d', 'c1', 'a', 'c2', 'long', 'none'];
        const ascending = ['first', ...begunAlike, 'smile', 'smiles', 'blank'];

        it('they stand in the order of creation', async () => {
          for (const _limit of ['1', '3']) {
            expect((await pagesOf(alike, { _sort: 'Text', _limit })).flat()).toEqual(ascending);
            const descending = ['smile', 'smiles', ...begunAlike, 'first', 'blank'];
            expect((await pagesOf(alike, { _sort: '-Text', _limit })).flat()).toEqual(descending);
          }
          const newestFirst = ['first', ...begunAlike.toReversed(), 'smiles', 'smile', 'blank'];
          expect((await pagesOf(alike, { _sort: 'Text,-_created', _limit: '2' })).flat()).toEqual(
            newestFirst,
          );
          expect(await idsOf(alike, { _sort: 'Text' })).toEqual(ascending);
        });

        it('while the tasks at the edges of pages come and go: none of the others is lost or comes again', async () => {
          const seen: unknown[] = [];
          let at = `${tasks}?_sort=Text&_limit=1`;
          while (at !== '') {
            const { headers, body } = await alike.get(at).expect(200);
            const [{ ID = '' } = {}] = body as { ID?: string }[];
            seen.push(ID);
            // As one does who works a list off.
            await alike.delete(`${tasks}/${ID}`).expect(204);
            at = (/^<([^>]*)>/.exec(linkOf(headers))?.[1] ?? '').replace(origin, '');
          }
          expect(seen).toEqual(ascending);
        });
      },
    );

    const unknown = 'contains a name that is not a field of this workflow: ';
    const unsortable = ': relationships, files and Task URL are not sortable';
    it.each([
      ['-Nope', `${unknown}-Nope`],
      ['Text,Nope', `${unknown}Nope`],
      ['text', `${unknown}text; did you mean Text?`],
      ['', 'needs the name of a field'],
      ['Text,', 'needs the name of a field'],
      ['Text, ID', `${unknown} ID; did you mean ID?`],
      ['-Contract', `cannot be -Contract${unsortable}`],
      ['ID,ID,ID,ID,ID', 'names more than 4 fields'],
    ])('by %j is 422', async (sort, message) => {
      expect(await refusalOf(api, { _sort: sort })).toEqual({ _sort: [message] });
    });
  });

  describe('names with commas, and names that begin with -', () => {
    let api: Client;

    beforeAll(async () => {
      const names = ['A', 'B', 'A,B', '-A', 'C,', '-A,B,'];
      const fields = names.map((name) => `name: ${JSON.stringify(name)}, type: text`);
      api = await service.clientOf(workflowOf([uniqueId, ...fields], 'odd'));
      await api.post(tasks, { ID: '1', A: '1', B: '2', 'A,B': '3', '-A': '2', 'C,': '3', '-A,B,': '2' });
      await api.post(tasks, { ID: '2', A: '1', B: '1', 'A,B': '2', '-A': '3', 'C,': '1', '-A,B,': '3' });
      await api.post(tasks, { ID: '3', A: '0', B: '3', 'A,B': '1', '-A': '1', 'C,': '2', '-A,B,': '1' });
    });

    it.each([
      ['A,B', '321', 'the longest name counts: the field A,B'],
      ['-A', '312', 'an exact name wins: the field -A'],
      ['--A', '213', 'the field -A, descending'],
      ['-A,B', '123', 'the longest name counts: the field A,B, descending'],
    ])('_sort=%s: %s, for %s', async (sort, ids) => {
      expect((await pagesOf(api, { _sort: sort, _limit: '1' })).flat().join('')).toBe(ids);
    });

    it.each(['_sort', '_fields'])('%s is given once', async (name) => {
      const message = 'is given twice; several names are separated by commas';
      expect(await refusalOf(api, { [name]: ['A', 'B'] })).toEqual({ [name]: [message] });
    });
  });

  describe('`_fields` (comma list)', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(everyType.replaceAll('acme', 'fields'));
      await api.post(tasks, { ID: '1', Text: 'one', Number: '1.50', 'Open?': true }).expect(201);
    });

    it.each([
      ['Number,Text,ID', '{"ID":"1","Text":"one","Number":"1.5"}'],
      ['Parts,Contract,Open%3F,Stage,Regions', '{"Stage":"New","Regions":[],"Open?":true,"Contract":[],"Parts":[]}'], // prettier-ignore
    ])('%s shows these keys only, in the order of the schema', async (fields, json) => {
      for (const further of ['', '&_limit=1', '&_sort=Text', '&Number=1.5'])
        expect((await api.get(`${tasks}?_fields=${fields}${further}`).expect(200)).text).toBe(`[${json}]`);
    });

    it('shows `_created` and `_updated` on request, behind all others, and not unasked', async () => {
      const [task = {}] = await listOf(api, { _fields: '_updated,ID,_created' });
      const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
      expect(Object.entries(task)).toEqual([['ID', '1'], ['_created', instant], ['_updated', instant]]); // prettier-ignore
      const [plain = {}] = await listOf(api, { _sort: '_updated' });
      expect(Object.keys(plain).filter((name) => name.startsWith('_'))).toEqual([]);
    });

    it.each([
      ['ID,Nope', 'contains a name that is not a field of this workflow: Nope'],
      ['', 'needs the name of a field'],
      ['-ID', 'contains a name that is not a field of this workflow: -ID; did you mean ID?'],
    ])('%j is 422', async (fields, message) => {
      expect(await refusalOf(api, { _fields: fields })).toEqual({ _fields: [message] });
    });
  });

  describe('`_count=true` (adds `X-Total-Count`)', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(everyType.replaceAll('acme', 'counted'));
      for (const n of [1, 2, 3, 4, 5])
        await api.post(tasks, { ID: `${n}`, Number: n, Stage: n > 3 ? 'Done' : 'New' }).expect(201);
    });

    it.each([
      ['?_count=true', '5', 5],
      ['?_count=true&_limit=2&_sort=-Number', '5', 2],
      ['?_count=true&Number%5Bgt%5D=1&_limit=1', '4', 1],
      ['?_count=true&Number=9&_limit=1', '0', 0],
      ['/active?_count=true', '3', 3],
    ])('%s: %s', async (suffix, count, length) => {
      const { headers, body } = await api.get(`${tasks}${suffix}`).expect(200);
      expect([headersOf(headers)['x-total-count'], (body as Task[]).length]).toEqual([count, length]);
    });

    it('also counts the tasks before and after the page; another value, or two, is 422', async () => {
      const first = await cursorOf(api, { _limit: '2', _count: 'true' });
      const { headers } = await api.get(`${tasks}?_limit=2&_count=true&_after=${first}`).expect(200);
      expect(headersOf(headers)['x-total-count']).toBe('5');
      for (const count of ['maybe', '', '1', 'TRUE'])
        expect(await refusalOf(api, { _count: count })).toEqual({ _count: ['is not true or false'] });
      expect(await refusalOf(api, { _count: ['true', 'true'] })).toEqual({ _count: ['is given twice'] });
    });
  });
});
