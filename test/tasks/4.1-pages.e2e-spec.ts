import { type Response } from 'supertest';
import { everyType, workflowOf } from '../support/definitions.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
/** Where others reach the service. */
const origin = 'https://tasks.acme.test';
const uniqueId = 'name: ID, type: uniqueId, required: true';

type Query = Readonly<Record<string, string | readonly string[]>>;
type Task = Readonly<Record<string, unknown>>;

describe('4.1 pages', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ PUBLIC_URL: origin });
  });
  afterAll(() => service.stop());

  describe('`_limit` (1–1000)', () => {
    let api: Client;

    beforeAll(async () => {
      api = await clientOf('limited', everyType.replaceAll('acme', 'limited'));
      for (const ID of ['a', 'b', 'c', 'd', 'e']) await api.post(tasks, { ID, Number: 1 }).expect(201);
    });

    it.each([
      ['1', ['a']],
      ['3', ['a', 'b', 'c']],
      ['5', ['a', 'b', 'c', 'd', 'e']],
      ['1000', ['a', 'b', 'c', 'd', 'e']],
    ])('%s is how many tasks an answer holds at most', async (limit, ids) => {
      expect(await idsOf(api, { _limit: limit })).toEqual(ids);
      expect(await idsOf(api, { _limit: limit, _sort: 'Number' })).toEqual(ids);
    });

    it.each(['0', '1001', '-1', '1e2', '', '+1', ' 1', '1.0', '10000', 'ten', '٣', '0x1', '1\n'])(
      '%j is refused, 422',
      async (limit) => {
        expect(await refusalOf(api, { _limit: limit })).toEqual({
          _limit: ['is not a whole number from 1 to 1000'],
        });
      },
    );

    it('given twice is 422', async () => {
      expect(await refusalOf(api, { _limit: ['1', '1'] })).toEqual({ _limit: ['is given twice'] });
    });

    it('`Link: <…>; rel="next"` leads to the next page, with all else as it was asked for', async () => {
      const query = { 'Number[gte]': '0.5', 'Assigned To': '', _sort: '-Number', _limit: '2' };
      const { headers, body } = await api.get(`${tasks}?${textOf(query)}`).expect(200);
      expect((body as Task[]).map(({ ID }) => ID)).toEqual(['a', 'b']);
      const [, address = '', cursor = ''] =
        /^<([^>]*&_after=([\w-]+))>; rel="next"$/.exec(linkOf(headers)) ?? [];
      const next = new URL(address);
      expect([next.origin, next.pathname]).toEqual([origin, tasks]);
      expect([...next.searchParams]).toEqual([...Object.entries(query), ['_after', cursor]]);
      const second = await api.get(`${next.pathname}${next.search}`).expect(200);
      expect((second.body as Task[]).map(({ ID }) => ID)).toEqual(['c', 'd']);
      expect(linkOf(second.headers).split('_after=')).toHaveLength(2);
    });

    it('of /tasks/active it leads to active tasks', async () => {
      const { headers } = await api.get(`${tasks}/active?_limit=2`).expect(200);
      expect(linkOf(headers)).toMatch(`<${origin}${tasks}/active?_limit=2&_after=`);
      expect(await pagesOf(api, { _limit: '2' }, `${tasks}/active`)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    });

    it('a HEAD knows it too', async () => {
      const { headers } = await fetch(`${service.url}${tasks}?_limit=2`, {
        method: 'HEAD',
        headers: { Authorization: `Bearer ${await service.key('limited')}` },
      });
      expect(headers.get('Link')).toBe(linkOf((await api.get(`${tasks}?_limit=2`)).headers));
    });

    it.each([
      [{ _limit: '5' }, 'the last page is full'],
      [{ _limit: '6' }, 'the last page is short'],
      [{ _limit: '5', _sort: '-Number' }, 'the last page is full'],
      [{ _limit: '2', ID: ['b', 'd'] }, 'the last page is full'],
      [{ _limit: '2', Number: '2' }, 'there is nothing'],
      [{ _limit: '1', _sort: 'Number', Number: '2' }, 'there is nothing'],
      [{}, 'the list is complete'],
      [{ _sort: 'Number' }, 'the list is complete'],
    ])('%j has none, for %s', async (query, _) => {
      expect((await api.get(`${tasks}?${textOf(query)}`).expect(200)).headers).not.toHaveProperty('link');
    });

    it.each([
      [{ _limit: '1' }, [['a'], ['b'], ['c'], ['d'], ['e']]],
      [{ _limit: '4' }, [['a', 'b', 'c', 'd'], ['e']]],
      [{ _limit: '2', 'ID[ne]': 'c' }, [['a', 'b'], ['d', 'e']]], // prettier-ignore
      [{ _limit: '2', ID: ['e', 'a', 'd', 'b'] }, [['a', 'b'], ['d', 'e']]], // prettier-ignore
      [{ _limit: '2', ID: ['e', 'a', 'd'], Number: '1' }, [['a', 'd'], ['e']]],
      [{ _limit: '2', ID: ['e', 'a', 'd'], _sort: '-_created' }, [['e', 'd'], ['a']]],
    ])('%j leads through every page', async (query, pages) => {
      expect(await pagesOf(api, query)).toEqual(pages);
    });
  });

  describe('walking all pages by Link', () => {
    let api: Client;

    beforeAll(async () => {
      api = await clientOf('walked', workflowOf([uniqueId, 'name: N, type: number'], 'walked'));
      await fill('walked', 2100, { N: 'n % 3' });
    });

    it.each([['7'], ['100'], ['700'], ['1000']])(
      'returns each task once, in the order of creation, %s at a time',
      async (limit) => {
        const pages = await pagesOf(api, { _limit: limit });
        expect(pages.flat()).toEqual(numbered(2100, () => true));
        expect(pages).toHaveLength(Math.ceil(2100 / Number(limit)));
        expect(await idsOf(api, {})).toEqual(pages.flat());
      },
    );

    it.each([
      ['values that an index knows', { N: '1' }, (n: number) => n % 3 === 1],
      ['a range', { 'N[gt]': '1' }, (n: number) => n % 3 === 2],
      ['all but some', { 'N[ne]': '1' }, (n: number) => n % 3 !== 1],
      ['the stage', { Stage: 'New' }, () => true],
      ['the stage and a range', { Stage: 'New', 'N[lt]': '1' }, (n: number) => n % 3 === 0],
    ])('filtered by %s it returns each that fits', async (_, query, fits) => {
      const expected = numbered(2100, fits);
      expect((await pagesOf(api, { ...query, _limit: '90' })).flat()).toEqual(expected);
      expect((await pagesOf(api, { ...query, _limit: '90', _sort: '-_created' })).flat()).toEqual(
        expected.toReversed(),
      );
      expect(await idsOf(api, query)).toEqual(expected);
    });
  });

  describe('`_after` (opaque cursor)', () => {
    const isRefused = { _after: ['is not a cursor of this list'] };
    let api: Client;
    let cursor: string;

    beforeAll(async () => {
      api = await clientOf('cursors', everyType.replaceAll('acme', 'cursors'));
      for (const ID of ['a', 'b', 'c', 'd', 'e', 'f']) await api.post(tasks, { ID, Text: `secret ${ID}` });
      cursor = await cursorOf(api, { _limit: '2' });
    });

    it('is where the next page begins, of whatever length', async () => {
      expect(await idsOf(api, { _limit: '1', _after: cursor })).toEqual(['c']);
      expect(await idsOf(api, { _limit: '1000', _after: cursor })).toEqual(['c', 'd', 'e', 'f']);
      expect(await idsOf(api, { _limit: '2', _after: cursor, 'ID[ne]': 'd' })).toEqual(['c', 'e']);
    });

    it('without `_limit` is 422', async () => {
      expect(await refusalOf(api, { _after: cursor })).toEqual({ _after: ['needs _limit'] });
    });

    it('given twice is 422', async () => {
      expect(await refusalOf(api, { _limit: '1', _after: [cursor, cursor] })).toEqual({
        _after: ['is given twice'],
      });
    });

    it.each([
      '',
      '1',
      'a',
      'null',
      '[]',
      '["1"]',
      btoa('["1"]'),
      'x'.repeat(38),
      'A'.repeat(4000),
      '\0',
      '😀',
    ])('that is junk is 422: %.20j', async (junk) => {
      // prettier-ignore
      expect(await refusalOf(api, { _limit: '1', _after: junk })).toEqual(isRefused);
    });

    it('that was tampered with is 422, whichever character', async () => {
      const tampered = [...cursor].map(
        (character, at) => cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
      );
      for (const after of tampered)
        expect([after, await refusalOf(api, { _limit: '1', _after: after })]).toEqual([after, isRefused]);
    });

    it('that was made longer or shorter is 422', async () => {
      const changed = [`${cursor}A`, cursor.slice(0, -1), cursor.slice(1), `A${cursor}`, cursor + cursor, `${cursor}=`, ` ${cursor}`, `${cursor}\n`, `${cursor}!`]; // prettier-ignore
      for (const after of changed)
        expect([after, await refusalOf(api, { _limit: '1', _after: after })]).toEqual([after, isRefused]);
    });

    it('of another list is 422', async () => {
      const sorted = await cursorOf(api, { _limit: '2', _sort: 'Text' });
      const refused: [Query, string][] = [
        [{ _sort: 'Text' }, cursor],
        [{ _sort: '-_created' }, cursor],
        [{}, sorted],
        [{ _sort: '-Text' }, sorted],
        [{ _sort: 'Long Text' }, sorted],
        [{ _sort: 'Text,Number' }, sorted],
        [{ _sort: '_created' }, sorted],
      ];
      for (const [query, after] of refused)
        expect([query, await refusalOf(api, { ...query, _limit: '1', _after: after })]).toEqual([
          query,
          isRefused,
        ]);
      expect(await idsOf(api, { _sort: 'Text', _limit: '1', _after: sorted })).toEqual(['c']);
    });

    it('of another workflow or workspace is 422', async () => {
      const parts = '/api/v1/workflows/parts/tasks';
      for (const ID of ['1', '2']) await api.post(parts, { 'Part ID': ID }).expect(201);
      const elsewhere = await cursorOf(api, { _limit: '1' }, parts);
      expect(await refusalOf(api, { _limit: '1', _after: elsewhere })).toEqual(isRefused);
      const other = await clientOf('others', everyType.replaceAll('acme', 'others'));
      for (const ID of ['1', '2']) await other.post(tasks, { ID }).expect(201);
      expect(await refusalOf(other, { _limit: '1', _after: cursor })).toEqual(isRefused);
      expect(await refusalOf(api, { _limit: '1', _after: await cursorOf(other, { _limit: '1' }) })).toEqual(
        isRefused,
      );
    });

    it('reveals nothing, neither how many tasks there are nor what they hold', async () => {
      for (const sort of ['_created', 'Text']) {
        const first = await cursorOf(api, { _limit: '1', _sort: sort });
        const second = await cursorOf(api, { _limit: '1', _sort: sort, _after: first });
        const [one, two] = [Buffer.from(first, 'base64url'), Buffer.from(second, 'base64url')];
        expect(one).toHaveLength(two.length);
        for (const bytes of [one, two]) {
          expect(() => JSON.parse(bytes.toString()) as unknown).toThrow(SyntaxError);
          expect(bytes.toString('latin1')).not.toMatch(/secret|^[\d[\]", ]*$/);
        }
        // Neighbours have no more in common than any two texts of random bytes.
        expect(one.filter((byte, at) => byte === two[at]).length).toBeLessThan(one.length / 4);
      }
    });

    it('survives the deletion of the task that it points to', async () => {
      const after = await cursorOf(api, { _limit: '3' });
      const sorted = await cursorOf(api, { _limit: '3', _sort: '-Text' });
      await api.delete(`${tasks}/c`).expect(204);
      await api.delete(`${tasks}/d`).expect(204);
      expect(await idsOf(api, { _limit: '9', _after: after })).toEqual(['e', 'f']);
      expect(await idsOf(api, { _limit: '9', _sort: '-Text', _after: sorted })).toEqual(['b', 'a']);
    });

    it('survives a rename of the field that the list is sorted by', async () => {
      const sorted = await cursorOf(api, { _limit: '1', _sort: 'Text' });
      await service.apply(
        everyType.replaceAll('acme', 'cursors').replace('name: Text,', 'name: Title, was: Text,'),
      );
      expect(await idsOf(api, { _limit: '1', _sort: 'Title', _after: sorted })).toEqual(['b']);
    });
  });

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

    describe('by texts that begin alike: whole texts are compared, whatever the cursor can hold', () => {
      const fields = [uniqueId, 'name: Text, type: longText', 'name: N, type: number'];
      const start = 'é'.repeat(220);
      let alike: Client;

      beforeAll(async () => {
        alike = await clientOf('alike', workflowOf(fields, 'alike'));
        const texts = { d: 'd', c1: 'c', a: 'a', c2: 'c', long: `b${'x'.repeat(300_000)}`, longer: `b${'x'.repeat(300_001)}`, none: '' }; // prettier-ignore
        for (const [ID, end] of Object.entries(texts))
          await alike.post(tasks, { ID, Text: start + end, N: ID.length }).expect(201);
        await alike.post(tasks, { ID: 'first', Text: 'a' }).expect(201);
        await alike.post(tasks, { ID: 'start', Text: start.slice(0, 200) }).expect(201);
        await alike.post(tasks, { ID: 'last', Text: 'z' }).expect(201);
        await alike.post(tasks, { ID: 'blank' }).expect(201);
      });

      const up = ['first', 'last', 'start', 'none', 'a', 'long', 'longer', 'c1', 'c2', 'd', 'blank'];
      const down = ['d', 'c1', 'c2', 'longer', 'long', 'a', 'none', 'start', 'last', 'first', 'blank'];

      it.each(['1', '2', '3', '5', '9', '1000'])('%s at a time', async (limit) => {
        expect((await pagesOf(alike, { _sort: 'Text', _limit: limit })).flat()).toEqual(up);
        expect((await pagesOf(alike, { _sort: '-Text', _limit: limit })).flat()).toEqual(down);
        const both = up.with(7, 'c2').with(8, 'c1');
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

      it('where both edges of a page are gone, those that begin alike come again', async () => {
        for (const end of ['1', '2', '3', '4', '5']) await alike.post(tasks, { ID: end, Text: start + end });
        const after = await cursorOf(alike, { _sort: 'Text', _limit: '2' });
        for (const ID of ['2', '3']) await alike.delete(`${tasks}/${ID}`).expect(204);
        const query = { _sort: 'Text', _limit: '3', _after: after };
        expect(await idsOf(alike, query)).toEqual(['1', '4', '5']);
      });
    });

    it.each([
      ['Nope', 'names what is not a field of this workflow: Nope'],
      ['-Nope', 'names what is not a field of this workflow: -Nope'],
      ['Text,Nope', 'names what is not a field of this workflow: Nope'],
      ['text', 'names what is not a field of this workflow: text'],
      ['', 'names what is not a field of this workflow: '],
      ['Text,', 'names what is not a field of this workflow: '],
      ['Text, ID', 'names what is not a field of this workflow:  ID'],
      ['--Text', 'names what is not a field of this workflow: --Text'],
      ['+Text', 'names what is not a field of this workflow: +Text'],
      ['Text desc', 'names what is not a field of this workflow: Text desc'],
      ['Text[gt]', 'names what is not a field of this workflow: Text[gt]'],
      ['__proto__', 'names what is not a field of this workflow: __proto__'],
      ['constructor', 'names what is not a field of this workflow: constructor'],
      ['_limit', 'names what is not a field of this workflow: _limit'],
      ['Contract', 'cannot be by Contract'],
      ['-Contract', 'cannot be by -Contract'],
      ['Parts', 'cannot be by Parts'],
      ['Task URL', 'cannot be by Task URL'],
      ['ID,-Parts', 'cannot be by -Parts'],
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
      ['-ID', '-ID'],
      ['id', 'id'],
      ['*', '*'],
      ['__proto__', '__proto__'],
      ['_limit', '_limit'],
    ])('%j is 422', async (fields, unknown) => {
      expect(await refusalOf(api, { _fields: fields })).toEqual({
        _fields: [`names what is not a field of this workflow: ${unknown}`],
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

  describe('lists of tasks that hold much', () => {
    const large = 600_000;
    let api: Client;

    beforeAll(async () => {
      const fields = [uniqueId, 'name: Text, type: longText', 'name: N, type: number'];
      api = await clientOf('large', workflowOf(fields, 'large'));
      // Every fiftieth of 1,200 tasks holds a large text of its own letter; so do the 25 of the even number 1200.
      await fill('large', 1200, {
        N: '(n * 7919) % 1200',
        Text: `repeat(chr(97 + n % 26), CASE WHEN n % 50 = 0 THEN ${large} ELSE 3 END)`,
      });
      await fill('large', 25, { N: '1200', Text: `repeat(chr(97 + n % 26), ${large})` }, 'large-');
    });

    const letter = (n: number): string => String.fromCharCode(97 + (n % 26));
    const summaryOf = (list: readonly Task[]): unknown[] =>
      list.map(({ ID, Text, ...rest }) => {
        const text = String(Text);
        const [first = ''] = text;
        return [ID, text === first.repeat(text.length) ? first : 'mixed', text.length, Object.keys(rest)];
      });
    const keys = ['Stage', 'Assigned To', 'Task URL', 'N'];
    const largeOnes = Array.from({ length: 25 }, (_, index) => [
      `large-${index + 1}`,
      letter(index + 1),
      large,
      keys,
    ]);
    const others = Array.from({ length: 1200 }, (_, index) => index + 1).map((n) => ({
      place: (n * 7919) % 1200,
      task: [`n${n}`, letter(n), n % 50 === 0 ? large : 3, keys],
    }));

    it.each([[{}], [{ _sort: 'N' }], [{ _sort: '-N' }]])(
      'pages of 20 texts of 600 kB are complete: %j',
      async (query) => {
        const pages = await walk(api, { ...query, N: '1200', _limit: '20' });
        expect(pages.map((page) => page.length)).toEqual([20, 5]);
        expect(summaryOf(pages.flat())).toEqual(largeOnes);
      },
    );

    it('and so is a complete sorted list of more than 1,000 tasks', async () => {
      const sorted = others.toSorted((a, b) => a.place - b.place).map(({ task }) => task);
      expect(summaryOf(await listOf(api, { _sort: 'N' }))).toEqual([...sorted, ...largeOnes]);
      expect(summaryOf(await listOf(api, { _sort: '-N' }))).toEqual([...largeOnes, ...sorted.toReversed()]);
    });

    it('and a complete list in the order of creation', async () => {
      const created = others.map(({ task }) => task);
      expect(summaryOf(await listOf(api, {}))).toEqual([...created, ...largeOnes]);
      expect(summaryOf(await listOf(api, { 'N[gte]': '1000' }))).toEqual([
        ...others.filter(({ place }) => place >= 1000).map(({ task }) => task),
        ...largeOnes,
      ]);
    });
  });

  describe('a page may be shorter than its limit and yet have a next one', () => {
    let api: Client;

    beforeAll(async () => {
      const fields = [uniqueId, 'name: N, type: number', 'name: Text, type: text'];
      api = await clientOf('short', workflowOf(fields, 'short'));
      await fill('short', 25_000, { N: 'n % 10' });
      await api.post(tasks, { ID: 'found', N: 11, Text: 'Found' }).expect(201);
      await fill('short', 25_000, { N: 'n % 10' }, 'm');
      await fill('short', 10_200, { N: '-1' }, 'late-');
      await fill('short', 300, { N: '0' }, 'last-');
    });

    it.each([
      ['a range', { 'N[gt]': '10' }],
      ['a part of a text', { 'Text[contains]': 'OUN' }],
      ['what is not blank', { 'Text[ne]': '' }],
      ['the value', { N: '11' }],
      ['the stage and a range', { Stage: 'New', 'N[gt]': '10' }],
      ['a range and a value', { 'N[gt]': '10', Text: 'Found' }],
      ['the time of creation and a range', { '_created[gt]': '2026-01-01T00:00:00Z', 'N[gt]': '10' }],
    ])('where %s fits one task of many, following Link finds it', async (_, query) => {
      for (const _sort of ['_created', '-_created', 'N', '-Text']) {
        const pages = await pagesOf(api, { ...query, _sort, _limit: '10' });
        expect(pages.flat()).toEqual(['found']);
        expect(pages.length).toBeLessThan(15);
      }
    });

    it('and a complete list has it in one answer', async () => {
      expect(await idsOf(api, { 'N[gt]': '10' })).toEqual(['found']);
      expect(await idsOf(api, { 'N[gt]': '10', _sort: '-_created' })).toEqual(['found']);
      expect(await idsOf(api, { 'Text[contains]': 'F' })).toEqual(['found']);
      expect(await idsOf(api, { 'N[gt]': '10', _sort: 'Text' })).toEqual(['found']);
    });

    it('and what is found late and often is found completely', async () => {
      const late = numbered(10_200, () => true, 'late-');
      expect(await idsOf(api, { N: '-1' })).toEqual(late);
      expect((await pagesOf(api, { N: '-1', _limit: '1000' })).flat()).toEqual(late);
      const newest = await pagesOf(api, { N: '-1', _limit: '1000', _sort: '-_created' });
      expect(newest.flat()).toEqual(late.toReversed());
    });

    it('and nothing is found where nothing fits', async () => {
      expect((await pagesOf(api, { 'N[gt]': '11', _limit: '1000' })).flat()).toEqual([]);
      expect(await idsOf(api, { 'N[gt]': '11' })).toEqual([]);
    });

    it('and a page of many is as long as its limit', async () => {
      expect(await idsOf(api, { 'N[gt]': '8', _limit: '1000' })).toHaveLength(1000);
      expect(await idsOf(api, { N: '9', _limit: '1000' })).toHaveLength(1000);
      expect(await idsOf(api, { 'N[gt]': '8' })).toHaveLength(5001);
    });
  });

  async function clientOf(workspace: string, yaml: string): Promise<Client> {
    await service.apply(yaml);
    return service.client(await service.key(workspace));
  }

  /** Makes tasks `n1`, `n2`, … of `things` by SQL; a field's value is an SQL expression over `n`. */
  async function fill(
    workspace: string,
    count: number,
    values: Readonly<Record<string, string>>,
    prefix = 'n',
  ): Promise<void> {
    const pairs = Object.entries(values).map(
      ([name, value]) =>
        `(SELECT id FROM fields f WHERE f.workspace_id = w.id AND f.name = '${name}'), (${value})::text`,
    );
    await service.dataSource.query(
      `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
       SELECT w.id, f.id, $2 || n, $2 || n, s.id, true, jsonb_build_object(${pairs.join(', ')})
       FROM workspaces w JOIN workflows f ON f.workspace_id = w.id AND f.slug = 'things'
       JOIN stages s ON s.workspace_id = w.id AND s.workflow_id = f.id AND s.position = 0
       CROSS JOIN generate_series(1, $3::integer) n
       WHERE w.slug = $1 ORDER BY n`,
      [workspace, prefix, count],
    );
  }
});

/** The ids `n1` to `n<count>`, those whose numbers fit. */
function numbered(count: number, fits: (n: number) => boolean, prefix = 'n'): string[] {
  return Array.from({ length: count }, (_, index) => index + 1).filter(fits).map((n) => `${prefix}${n}`); // prettier-ignore
}

function textOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])); // prettier-ignore
  return new URLSearchParams(pairs).toString();
}

async function listOf(api: Client, query: Query): Promise<Task[]> {
  return (await api.get(`${tasks}?${textOf(query)}`).expect(200)).body as Task[];
}

async function idsOf(api: Client, query: Query): Promise<unknown[]> {
  return (await listOf(api, query)).map(({ ID }) => ID);
}

async function refusalOf(api: Client, query: Query): Promise<unknown> {
  const { body } = await api.get(`${tasks}?${textOf(query)}`).expect(422);
  return (body as { errors: unknown }).errors;
}

/** All pages of a list, each found by the Link of the one before. */
async function walk(api: Client, query: Query, path = tasks): Promise<Task[][]> {
  const pages: Task[][] = [];
  for (let at = `${path}?${textOf(query)}`; at !== '';) {
    const { headers, body }: Response = await api.get(at).expect(200);
    pages.push(body as Task[]);
    const [, next = ''] = /^<([^>]*)>; rel="next"$/.exec(linkOf(headers)) ?? [];
    at = next.replace(origin, '');
  }
  return pages;
}

async function pagesOf(api: Client, query: Query, path = tasks): Promise<unknown[][]> {
  return (await walk(api, query, path)).map((page) => page.map(({ ID }) => ID));
}

/** The cursor that leads behind the first page of a list. */
async function cursorOf(api: Client, query: Query, path = tasks): Promise<string> {
  const { headers } = await api.get(`${path}?${textOf(query)}`).expect(200);
  return /_after=([\w-]+)>/.exec(linkOf(headers))?.[1] ?? '';
}

function linkOf(headers: unknown): string {
  return headersOf(headers)['link'] ?? '';
}

function headersOf(headers: unknown): Partial<Record<string, string>> {
  return headers as Partial<Record<string, string>>;
}
