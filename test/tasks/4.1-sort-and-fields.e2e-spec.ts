import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import {
  clientOf,
  close,
  cursorOf,
  headersOf,
  idsOf,
  linkOf,
  listOf,
  open,
  origin,
  pagesOf,
  refusalOf,
  service,
  type Task,
  tasks,
  uniqueId,
} from './lists.js';

describe('4.1 pages', () => {
  beforeAll(open);
  afterAll(close);

  describe('`_sort` (`Field` or `-Field`)', () => {
    /** For each type three values in their order; blanks stand last in both directions, ties in the order of creation. */
    const values: [name: string, ...values: unknown[]][] = [
      ['Text', 'Zebra', 'ﬁn', '😀'],
      ['Long Text', '1\n2', '10', '9'],
      ['Number', '-2', '9', '10.5'],
      ['Price', '9.5', '10', '12345678901234567890'],
      ['Phone', '+1 555 0100', '020 7946 0000', '911'],
      ['Day', '0999-12-31', '2026-02-03', '2026-10-01'],
      ['Moment', '2026-02-03T01:00:00+02:00', '2026-02-03T00:00:00Z', '2026-02-02T23:30:00-02:00'],
      ['Owner', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
      ['Assigned To', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
      ['Tier', 'Gold', 'Silver', 'Bronze'],
      ['Regions', ['EMEA'], ['EMEA', 'APAC'], ['AMER', 'APAC']],
      ['E-mail', 'Zoe@acme.test', 'anna@acme.test', 'éva@acme.test'],
      ['Website', 'http://z.test/', 'https://B.test/', 'https://a.test/'],
    ];
    const numbers = new Map([['two', 1], ['three', 2], ['one', 0], ['again', 1]]); // prettier-ignore
    let api: Client;

    beforeAll(async () => {
      const definition = everyType
        .replace('gone@acme.test, active: false', 'Zoe@acme.test')
        .replace('[Gold, Silver]', '[Gold, Silver, Bronze]');
      api = await clientOf('acme', definition);
      for (const ID of ['two', 'blank', 'three', 'one', 'again', 'empty']) {
        const at = numbers.get(ID);
        const valued = at === undefined ? [] : values.map(([name, ...three]) => [name, three[at]]);
        const Stage = at === undefined ? 'New' : ['New', 'In Review', 'Done'][at];
        await api
          .post(tasks, { ID, Stage, 'Open?': at === 2, ...Object.fromEntries(valued) } as object)
          .expect(201);
      }
    });

    const up = ['one', 'two', 'again', 'three', 'blank', 'empty'];
    const down = ['three', 'two', 'again', 'one', 'blank', 'empty'];
    describe.each([
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
      ['Stage,-ID', ['one', 'empty', 'blank', 'two', 'again', 'three']],
      ['-Stage,Number,-ID', ['three', 'two', 'again', 'one', 'empty', 'blank']],
      ['Open?,-Tier,-_created', ['again', 'two', 'one', 'empty', 'blank', 'three']],
      ['_created,Text', ['two', 'blank', 'three', 'one', 'again', 'empty']],
      ['Text,-Text', up],
    ])('by %s', (sort, ids) => {
      it.each(['1', '2', '4', '6'])('%s at a time', async (limit) => {
        expect((await pagesOf(api, { _sort: sort, _limit: limit })).flat()).toEqual(ids);
      });

      it('all at once', async () => {
        expect(await idsOf(api, { _sort: sort })).toEqual(ids);
      });
    });

    it('by several parameters is as by one with commas', async () => {
      expect(await idsOf(api, { _sort: ['Stage', '-ID'] })).toEqual(await idsOf(api, { _sort: 'Stage,-ID' }));
    });

    it('goes with filters', async () => {
      const query = { _sort: '-Number', 'Number[lt]': '10' };
      expect(await idsOf(api, query)).toEqual(['two', 'again', 'one']);
      expect(await pagesOf(api, { ...query, _limit: '2' })).toEqual([['two', 'again'], ['one']]);
    });

    it('by `_updated`, the time of the last change', async () => {
      const timed = await clientOf('timed', workflowOf([uniqueId, 'name: Text, type: text'], 'timed'));
      for (const ID of ['a', 'b', 'c', 'd']) await timed.post(tasks, { ID }).expect(201);
      await service.dataSource.query(
        `UPDATE tasks SET updated_at = now() + (ascii(unique_value) % 2) * interval '1 ms', created_at = now()
         FROM workspaces w WHERE w.id = workspace_id AND w.slug = 'timed'`,
      );
      expect(await pagesOf(timed, { _sort: '_updated', _limit: '1' })).toEqual([['b'], ['d'], ['a'], ['c']]);
      expect(await pagesOf(timed, { _sort: '-_updated', _limit: '1' })).toEqual([['a'], ['c'], ['b'], ['d']]);
      expect(await idsOf(timed, { _sort: '-_updated,-_created' })).toEqual(['c', 'a', 'd', 'b']);
      await service.dataSource.query(
        `UPDATE tasks SET updated_at = now() - interval '1 s', created_at = now() - interval '1 s'
         FROM workspaces w WHERE w.id = workspace_id AND w.slug = 'timed'`,
      );
      await timed.put(tasks, { ID: 'b', Text: 'changed' }).expect(200);
      expect(await idsOf(timed, { _sort: '_updated' })).toEqual(['a', 'c', 'd', 'b']);
    });

    it('by options that the definition no longer has: behind the others, before blank', async () => {
      const options = (tiers: string): string =>
        workflowOf([uniqueId, `name: Tier, type: singleSelect, options: [${tiers}]`, `name: Tags, type: multipleSelect, options: [${tiers}]`], 'options'); // prettier-ignore
      const client = await clientOf('options', options('A, B, C, D'));
      for (const ID of ['D', 'blank', 'C', 'B', 'A']) {
        const valued = ID === 'blank' ? {} : { Tier: ID, Tags: [ID] };
        await client.post(tasks, { ID, ...valued }).expect(201);
      }
      await service.apply(options('C, A'));
      for (const name of ['Tier', 'Tags']) {
        expect(await idsOf(client, { _sort: name })).toEqual(['C', 'A', 'D', 'B', 'blank']);
        expect((await pagesOf(client, { _sort: `-${name}`, _limit: '1' })).flat()).toEqual(['D', 'B', 'A', 'C', 'blank']); // prettier-ignore
      }
    });

    it('by texts that differ late, and whose cursors are long', async () => {
      const names = Array.from({ length: 4 }, (_, n) => `L${n}`);
      const client = await clientOf(
        'long',
        workflowOf([uniqueId, ...names.map((name) => `name: ${name}, type: longText`)], 'long'),
      );
      const start = '\u0001'.repeat(199);
      for (const last of ['😀', 'b', 'ﬁ', 'a'])
        await client
          .post(tasks, {
            ID: last,
            ...Object.fromEntries(names.map((name, at) => [name, start + (at === 3 ? last : 'x')])),
          })
          .expect(201);
      const sort = names.join(',');
      expect((await pagesOf(client, { _sort: sort, _limit: '1' })).flat()).toEqual(['a', 'b', 'ﬁ', '😀']);
      expect((await pagesOf(client, { _sort: `-${sort}`, _limit: '3' })).flat()).toEqual([
        'a',
        'b',
        'ﬁ',
        '😀',
      ]);
    });

    describe('by texts that begin alike with 200 characters: they stand in the order of creation', () => {
      const fields = [uniqueId, 'name: Text, type: longText', 'name: N, type: number'];
      const start = 'é'.repeat(220);
      let alike: Client;

      beforeAll(async () => {
        alike = await clientOf('alike', workflowOf(fields, 'alike'));
        const texts = { d: 'd', c1: 'c', a: 'a', c2: 'c', long: `b${'x'.repeat(150_000)}`, longer: `b${'x'.repeat(150_001)}`, none: '' }; // prettier-ignore
        for (const [ID, end] of Object.entries(texts))
          await alike.post(tasks, { ID, Text: start + end, N: ID.length }).expect(201);
        await alike.post(tasks, { ID: 'first', Text: 'a' }).expect(201);
        await alike.post(tasks, { ID: 'start', Text: start.slice(0, 200) }).expect(201);
        await alike.post(tasks, { ID: 'last', Text: 'z' }).expect(201);
        await alike.post(tasks, { ID: 'blank' }).expect(201);
      });

      const begunAlike = ['d', 'c1', 'a', 'c2', 'long', 'longer', 'none', 'start'];
      const up = ['first', 'last', ...begunAlike, 'blank'];
      const down = [...begunAlike, 'last', 'first', 'blank'];

      it.each(['1', '2', '3', '5', '9', '1000'])('%s at a time', async (limit) => {
        expect((await pagesOf(alike, { _sort: 'Text', _limit: limit })).flat()).toEqual(up);
        expect((await pagesOf(alike, { _sort: '-Text', _limit: limit })).flat()).toEqual(down);
        const both = ['first', 'last', ...begunAlike.toReversed(), 'blank'];
        expect((await pagesOf(alike, { _sort: 'Text,-_created', _limit: limit })).flat()).toEqual(both);
      });

      it('all at once', async () => {
        expect(await idsOf(alike, { _sort: 'Text' })).toEqual(up);
        expect(await idsOf(alike, { _sort: '-Text' })).toEqual(down);
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
        expect(seen).toEqual(up);
      });
    });

    it.each([
      ['Nope', 'contains a name that is not a field of this workflow: Nope'],
      ['-Nope', 'contains a name that is not a field of this workflow: -Nope'],
      ['Text,Nope', 'contains a name that is not a field of this workflow: Nope'],
      ['text', 'contains a name that is not a field of this workflow: text; did you mean Text?'],
      ['', 'contains a name that is not a field of this workflow: '],
      ['Text,', 'contains a name that is not a field of this workflow: '],
      ['Text, ID', 'contains a name that is not a field of this workflow:  ID; did you mean ID?'],
      ['--Text', 'contains a name that is not a field of this workflow: --Text; did you mean Text?'],
      ['+Text', 'contains a name that is not a field of this workflow: +Text; did you mean Text?'],
      ['Text desc', 'contains a name that is not a field of this workflow: Text desc; descending is -Text'],
      ['Text:ASC', 'contains a name that is not a field of this workflow: Text:ASC; ascending is Text'],
      ['Nope desc', 'contains a name that is not a field of this workflow: Nope desc'],
      ['Text[gt]', 'contains a name that is not a field of this workflow: Text[gt]'],
      ['__proto__', 'contains a name that is not a field of this workflow: __proto__'],
      ['constructor', 'contains a name that is not a field of this workflow: constructor'],
      ['_limit', 'contains a name that is not a field of this workflow: _limit'],
      ['Contract', 'cannot be Contract: relationships, files and Task URL are not sortable'],
      ['-Contract', 'cannot be -Contract: relationships, files and Task URL are not sortable'],
      ['Parts', 'cannot be Parts: relationships, files and Task URL are not sortable'],
      ['Task URL', 'cannot be Task URL: relationships, files and Task URL are not sortable'],
      ['ID,-Parts', 'cannot be -Parts: relationships, files and Task URL are not sortable'],
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
      api = await clientOf('odd', workflowOf([uniqueId, ...fields], 'odd'));
      await api.post(tasks, { ID: '1', A: '1', B: '2', 'A,B': '3', '-A': '2', 'C,': '3', '-A,B,': '2' });
      await api.post(tasks, { ID: '2', A: '1', B: '1', 'A,B': '2', '-A': '3', 'C,': '1', '-A,B,': '3' });
      await api.post(tasks, { ID: '3', A: '0', B: '3', 'A,B': '1', '-A': '1', 'C,': '2', '-A,B,': '1' });
    });

    it.each([
      ['A', '312', 'the field A'],
      ['A,B', '321', 'the longest name counts: the field A,B'],
      ['B,A', '213', 'no field is called B,A: the fields B and A'],
      ['-A', '312', 'an exact name wins: the field -A'],
      ['--A', '213', 'the field -A, descending'],
      ['-A,B', '123', 'the longest name counts: the field A,B, descending'],
      ['-A,B,', '312', 'the longest name counts: the field -A,B,'],
      ['C,', '231', 'a name that ends with a comma'],
      ['-C,', '132', 'a name that ends with a comma, descending'],
      ['C,,A', '231', 'a comma of a name, and one between names'],
      ['A,-B', '312', 'the fields A and B, the latter descending'],
      ['A,B,A', '321', 'the fields A,B and A'],
    ])('_sort=%s: %s, for %s', async (sort, ids) => {
      expect((await idsOf(api, { _sort: sort })).join('')).toBe(ids);
      expect((await pagesOf(api, { _sort: sort, _limit: '1' })).flat().join('')).toBe(ids);
    });

    it('_sort=A and _sort=B: each parameter is a list of its own', async () => {
      expect(await idsOf(api, { _sort: ['A', 'B'] })).toEqual(['3', '2', '1']);
      expect(await idsOf(api, { _sort: ['A', '-B'] })).toEqual(['3', '1', '2']);
    });

    it.each([
      ['A,B', ['A,B']],
      ['B,A', ['A', 'B']],
      ['-A', ['-A']],
      ['-A,B', ['B', '-A']],
      ['-A,B,', ['-A,B,']],
      ['C,,A', ['A', 'C,']],
    ])('_fields=%s', async (fields, keys) => {
      const [task = {}] = await listOf(api, { _fields: fields });
      expect(Object.keys(task)).toEqual(keys);
    });

    it('_fields=A and _fields=B', async () => {
      expect(await listOf(api, { _fields: ['B', 'A'], ID: '1' })).toEqual([{ A: '1', B: '2' }]);
    });
  });

  describe('`_fields` (comma list)', () => {
    let api: Client;

    beforeAll(async () => {
      api = await clientOf('fields', everyType.replaceAll('acme', 'fields'));
      await api.post(tasks, { ID: '1', Text: 'one', Number: '1.50', 'Open?': true }).expect(201);
      await api.post(tasks, { ID: '2' }).expect(201);
    });

    it('shows these keys only, in the order of the schema', async () => {
      const { text } = await api.get(`${tasks}?_fields=Number,Text,ID`).expect(200);
      expect(text).toBe('[{"ID":"1","Text":"one","Number":"1.5"},{"ID":"2","Text":null,"Number":null}]');
    });

    it.each([
      ['Parts,Contract,Open%3F,Stage,Regions', '{"Stage":"New","Regions":[],"Open?":true,"Contract":[],"Parts":[]}'], // prettier-ignore
      ['ID', '{"ID":"1"}'],
      ['ID,ID', '{"ID":"1"}'],
      ['ID&_fields=Stage', '{"Stage":"New","ID":"1"}'],
      ['Assigned%20To,ID', '{"Assigned To":null,"ID":"1"}'],
    ])('%s', async (fields, json) => {
      for (const further of ['', '&_limit=1', '&_sort=Text', '&_sort=Text&_limit=1', '&Number=1.5'])
        expect((await api.get(`${tasks}?ID=1&_fields=${fields}${further}`).expect(200)).text).toBe(
          `[${json}]`,
        );
    });

    it('shows `_created` and `_updated` on request, behind all others', async () => {
      for (const further of ['', '&_limit=1', '&_sort=Text', '&_sort=Text&_limit=1', '&Number=1.5']) {
        const { body } = await api.get(`${tasks}?ID=1&_fields=_updated,ID,_created${further}`).expect(200);
        expect(body).toEqual([
          { ID: '1', _created: expect.stringMatching(instant), _updated: expect.stringMatching(instant) },
        ]);
        expect(Object.keys((body as Task[])[0] ?? {})).toEqual(['ID', '_created', '_updated']);
      }
      expect(await listOf(api, { ID: '1', _fields: '_created' })).toEqual([
        { _created: expect.stringMatching(instant) },
      ]);
    });

    it('they are not shown unasked', async () => {
      const [task = {}] = await listOf(api, { _sort: '_updated', '_created[gt]': '2026-01-01T00:00:00Z' });
      expect(Object.keys(task).filter((name) => name.startsWith('_'))).toEqual([]);
    });

    it.each([
      ['Nope', 'Nope'],
      ['ID,Nope', 'Nope'],
      ['', ''],
      ['ID,', ''],
      [',', ''],
      ['-ID', '-ID; did you mean ID?'],
      ['id', 'id; did you mean ID?'],
      ['*', '*'],
      ['__proto__', '__proto__'],
      ['_limit', '_limit'],
    ])('%j is 422', async (fields, unknown) => {
      expect(await refusalOf(api, { _fields: fields })).toEqual({
        _fields: [`contains a name that is not a field of this workflow: ${unknown}`],
      });
    });

    const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  });

  describe('`_count=true` (adds `X-Total-Count`)', () => {
    let api: Client;

    beforeAll(async () => {
      api = await clientOf('counted', everyType.replaceAll('acme', 'counted'));
      for (const n of [1, 2, 3, 4, 5])
        await api.post(tasks, { ID: `${n}`, Number: n, Stage: n > 3 ? 'Done' : 'New' }).expect(201);
    });

    it.each([
      ['?_count=true', '5', 5],
      ['?_count=true&_limit=2', '5', 2],
      ['?_count=true&_limit=2&_sort=-Number', '5', 2],
      ['?_count=true&_sort=-Number', '5', 5],
      ['?_count=true&Number%5Bgt%5D=1', '4', 4],
      ['?_count=true&Number%5Bgt%5D=1&_limit=1', '4', 1],
      ['?_count=true&Number=9', '0', 0],
      ['?_count=true&Number=9&_limit=1', '0', 0],
      ['/active?_count=true', '3', 3],
      ['/active?_count=true&Number=1&Number=5&_limit=3', '1', 1],
      ['?_count=false', undefined, 5],
      ['?_limit=2', undefined, 2],
      ['', undefined, 5],
    ])('%s: %s', async (suffix, count, length) => {
      const { headers, body } = await api.get(`${tasks}${suffix}`).expect(200);
      expect([headersOf(headers)['x-total-count'], body]).toEqual([count, expect.any(Array)]);
      expect(body).toHaveLength(length);
    });

    it('counts what is behind and before the page too', async () => {
      const first = await cursorOf(api, { _limit: '2', _count: 'true' });
      const { headers, body } = await api.get(`${tasks}?_limit=2&_count=true&_after=${first}`).expect(200);
      expect([headersOf(headers)['x-total-count'], (body as Task[]).map(({ ID }) => ID)]).toEqual([
        '5',
        ['3', '4'],
      ]);
    });

    it.each(['maybe', '', '1', 'TRUE'])('%j is 422', async (count) => {
      expect(await refusalOf(api, { _count: count })).toEqual({ _count: ['is not true or false'] });
    });

    it('given twice is 422', async () => {
      expect(await refusalOf(api, { _count: ['true', 'true'] })).toEqual({ _count: ['is given twice'] });
    });
  });
});
