import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import {
  cursorOf,
  fill,
  idsOf,
  linkOf,
  numbered,
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
  describe('`_limit` (1–1000)', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(everyType.replaceAll('acme', 'limited'));
      for (const ID of ['a', 'b', 'c', 'd', 'e']) await api.post(tasks, { ID, Number: 1 }).expect(201);
    });

    it.each(['0', '1001', '1e2', '', ' 1', '1.0', '٣'])('%j is refused, 422', async (limit) => {
      expect(await refusalOf(api, { _limit: limit })).toEqual({
        _limit: ['is not a whole number from 1 to 1000'],
      });
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

    it.each<[Query]>([
      [{ _limit: '5' }],
      [{ _limit: '2', ID: ['b', 'd'] }],
      [{ _limit: '1', _sort: 'Number', Number: '2' }],
      [{}],
    ])('%j has none: its page is the last, or the list is complete', async (query) => {
      expect((await api.get(`${tasks}?${textOf(query)}`).expect(200)).headers).not.toHaveProperty('link');
    });

    it.each([
      [{ _limit: '4' }, [['a', 'b', 'c', 'd'], ['e']]],
      [{ _limit: '2', 'ID[ne]': 'c' }, [['a', 'b'], ['d', 'e']]], // prettier-ignore
      [{ _limit: '2', ID: ['e', 'a', 'd'], _sort: '-_created' }, [['e', 'd'], ['a']]],
    ])('%j leads through every page', async (query, pages) => {
      expect(await pagesOf(api, query)).toEqual(pages);
    });
  });

  describe('walking all pages by Link', () => {
    const count = 1100;
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(workflowOf([uniqueId, 'name: N, type: number'], 'walked'));
      await fill('walked', count, { N: 'n % 3' });
    });

    it.each<[string, Query, (n: number) => boolean]>([
      ['all', {}, () => true],
      ['a range', { 'N[gt]': '1' }, (n) => n % 3 === 2],
      ['the stage and a range', { Stage: 'New', 'N[lt]': '1' }, (n) => n % 3 === 0],
    ])('returns each task once, in the order of creation: %s', async (_, query, fits) => {
      const expected = numbered(count, fits);
      expect((await pagesOf(api, { ...query, _limit: '300' })).flat()).toEqual(expected);
      const newestFirst = await pagesOf(api, { ...query, _limit: '300', _sort: '-_created' });
      expect(newestFirst.flat()).toEqual(expected.toReversed());
      expect(await idsOf(api, query)).toEqual(expected);
    });
  });

  describe('`_after` (opaque cursor)', () => {
    const isRefused = { _after: ['is not a cursor of this list; take it from the header Link'] };
    let api: Client;
    let cursor: string;

    beforeAll(async () => {
      api = await service.clientOf(everyType.replaceAll('acme', 'cursors'));
      for (const ID of ['a', 'b', 'c', 'd', 'e', 'f']) await api.post(tasks, { ID, Text: `secret ${ID}` });
      cursor = await cursorOf(api, { _limit: '2' });
    });

    it('is where the next page begins, of whatever length', async () => {
      expect(await idsOf(api, { _limit: '1', _after: cursor })).toEqual(['c']);
      expect(await idsOf(api, { _limit: '1000', _after: cursor })).toEqual(['c', 'd', 'e', 'f']);
      expect(await idsOf(api, { _limit: '2', _after: cursor, 'ID[ne]': 'd' })).toEqual(['c', 'e']);
    });

    it('that is junk, or was tampered with, is 422', async () => {
      const tampered = [0, 10, 20, cursor.length - 1].map((at) => {
        const other = cursor[at] === 'A' ? 'B' : 'A';
        return cursor.slice(0, at) + other + cursor.slice(at + 1);
      });
      const resized = [`${cursor}A`, cursor.slice(0, -1), cursor.slice(1), `${cursor}=`, ` ${cursor}`];
      for (const after of [
        '',
        '1',
        '[]',
        btoa('["1"]'),
        'A'.repeat(4000),
        '\0',
        '😀',
        ...tampered,
        ...resized,
      ])
        expect([after, await refusalOf(api, { _limit: '1', _after: after })]).toEqual([after, isRefused]);
    });

    it('of another list is 422', async () => {
      const sorted = await cursorOf(api, { _limit: '2', _sort: 'Text' });
      const refused: [Query, string][] = [
        [{ _sort: 'Text' }, cursor],
        [{ _sort: '-_created' }, cursor],
        [{}, sorted],
        [{ _sort: '-Text' }, sorted],
        [{ _sort: 'Text,Number' }, sorted],
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
      const other = await service.clientOf(everyType.replaceAll('acme', 'others'));
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

    it('ends when the field gets another type, which changes the order of the list', async () => {
      const typed = (type: string): string => workflowOf([uniqueId, `name: Size, ${type}`], 'retyped');
      const client = await service.clientOf(typed('type: text'));
      for (const [ID, Size] of [['1', 'small'], ['2', 'large']]) await client.post(tasks, { ID, Size }).expect(201); // prettier-ignore
      const query = { _limit: '1', _sort: 'Size' };
      const sorted = await cursorOf(client, query);
      await service.apply(typed('type: singleSelect, options: [small, large]'));
      expect(await refusalOf(client, { ...query, _after: sorted })).toEqual(isRefused);
      expect(await idsOf(client, { ...query, _after: await cursorOf(client, query) })).toEqual(['2']);
    });
  });

  it('lists are complete where tasks are many or hold much', async () => {
    const large = 600_000;
    const fields = [uniqueId, 'name: Text, type: longText', 'name: N, type: number'];
    const api = await service.clientOf(workflowOf(fields, 'large'));
    // More than a chunk of a list holds: of tasks, and of bytes.
    await fill('large', 1010, { N: '(n * 7919) % 1010', Text: "repeat('a', 3)" });
    await fill('large', 6, { N: '2000', Text: `repeat(chr(97 + n), ${large})` }, 'large-');
    const small = numbered(1010, () => true);
    const byN = small.toSorted((a, b) => placeOf(a) - placeOf(b));
    const larges = numbered(6, () => true, 'large-');
    expect(await idsOf(api, {})).toEqual([...small, ...larges]);
    expect(await idsOf(api, { _sort: 'N' })).toEqual([...byN, ...larges]);
    expect(await idsOf(api, { _sort: '-N' })).toEqual([...larges, ...byN.toReversed()]);
    for (const _sort of ['_created', 'N']) {
      const pages = await walk(api, { _sort, N: '2000', _limit: '5' });
      expect(pages.map((page) => page.length)).toEqual([5, 1]);
      expect(pages.flat().map(({ Text }) => Text)).toEqual(
        [...'bcdefg'].map((letter) => letter.repeat(large)),
      );
    }
  });

  const placeOf = (id: string): number => (Number(id.slice(1)) * 7919) % 1010;

  describe('a page is full, or the last one', () => {
    let api: Client;

    beforeAll(async () => {
      const fields = [uniqueId, 'name: N, type: number', 'name: Text, type: text'];
      api = await service.clientOf(workflowOf(fields, 'rare'));
      await fill('rare', 5100, { N: 'n % 10' });
      await api.post(tasks, { ID: 'found', N: 11, Text: 'Found' }).expect(201);
      await fill('rare', 5100, { N: '-1' }, 'late-');
    });

    it.each<[string, Query]>([
      ['a range', { 'N[gt]': '10' }],
      ['the value', { N: '11' }],
      ['a part of a text', { 'Text[contains]': 'found' }],
      ['the time of creation and a range', { '_created[gt]': '2026-01-01T00:00:00Z', 'N[gt]': '10' }],
    ])('also where %s fits one task of many', async (_, query) => {
      for (const _sort of ['_created', '-_created', 'N'])
        expect(await pagesOf(api, { ...query, _sort, _limit: '10' })).toEqual([['found']]);
    });
  });

  it('a long list is cut, and never looks complete, when something fails midway', async () => {
    const fields = [uniqueId, 'name: Text, type: longText', 'name: Docs, type: file'];
    const api = await service.clientOf(workflowOf(fields, 'cut'));
    await fill('cut', 600, { Text: "repeat('x', 1000)" });
    // What no service writes.
    await fill('cut', 1, { Docs: "'no list'" }, 'broken-');
    const answer = await fetch(service.url + tasks, {
      headers: { Authorization: `Bearer ${await service.key('cut')}` },
    });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    await api.get(`${tasks}/n600`).expect(200);
  });
});
