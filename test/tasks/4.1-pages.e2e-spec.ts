import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import {
  clientOf,
  close,
  cursorOf,
  fill,
  idsOf,
  linkOf,
  listOf,
  numbered,
  open,
  origin,
  pagesOf,
  type Query,
  refusalOf,
  service,
  type Task,
  tasks,
  textOf,
  uniqueId,
  walk,
} from './lists.js';

describe('4.1 pages', () => {
  beforeAll(open);
  afterAll(close);

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
    const isRefused = { _after: ['is not a cursor of this list; take it from the header Link'] };
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

    it('does not survive another type of that field, by which the list has another order', async () => {
      const typed = (type: string): string => workflowOf([uniqueId, `name: Size, ${type}`], 'retyped');
      const client = await clientOf('retyped', typed('type: text'));
      for (const [ID, Size] of [['1', 'small'], ['2', 'large']]) await client.post(tasks, { ID, Size }).expect(201); // prettier-ignore
      const query = { _limit: '1', _sort: 'Size' };
      const sorted = await cursorOf(client, query);
      await service.apply(typed('type: singleSelect, options: [small, large]'));
      expect(await refusalOf(client, { ...query, _after: sorted })).toEqual(isRefused);
      expect(await idsOf(client, { ...query, _after: await cursorOf(client, query) })).toEqual(['2']);
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
});
