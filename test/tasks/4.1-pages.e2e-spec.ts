import { everyType, workflowOf } from '../support/definitions.js';
import { nextOf, walk } from '../support/pages.js';
import {
  cursorOf,
  fill,
  idsOf,
  numbered,
  pagesOf,
  type Query,
  refusalOf,
  service,
  tasks,
  textOf,
} from './lists.js';

const api = await service.clientOf(everyType);
for (const ID of ['a', 'b', 'c', 'd', 'e', 'f'])
  await api.post(tasks, { ID, Number: 1, Text: `secret ${ID}` }).expect(201);

describe('4.1 pages: `_limit` (1–1000)', () => {
  it.each(['0', '1001', '1e2', '', ' 1', '1.0', '٣'])('%j is refused, 422', async (_limit) => {
    expect(await refusalOf(api, { _limit })).toEqual({ _limit: ['is not a whole number from 1 to 1000'] });
  });

  it('`Link: <…>; rel="next"` leads to the next page, and keeps all other parameters', async () => {
    const query = { 'Number[gte]': '0.5', 'Assigned To': '', _sort: '-Number', _limit: '2' };
    const { headers } = await api.get(`${tasks}?${textOf(query)}`).expect(200);
    const cursor = expect.stringMatching(/^[\w-]+$/) as string;
    const next = new URL(/^<(.*)>; rel="next"$/.exec(String(headers['link']))?.[1] ?? '');
    expect([next.origin, next.pathname]).toEqual(['https://tasks.acme.test', tasks]);
    expect([...next.searchParams]).toEqual([...Object.entries(query), ['_after', cursor]]);
    const second = await api.get(`${next.pathname}${next.search}`).expect(200);
    expect(second.body).toMatchObject([{ ID: 'c' }, { ID: 'd' }]);
    expect(nextOf(second).split('_after=')).toHaveLength(2);
  });

  it.each<[Query, string[][]]>([
    [{ _limit: '4' }, [['a', 'b', 'c', 'd'], ['e', 'f']]],
    [{ _limit: '3', 'ID[ne]': 'c' }, [['a', 'b', 'd'], ['e', 'f']]],
    [{ _limit: '2', ID: ['e', 'a', 'd'], _sort: '-_created' }, [['e', 'd'], ['a']]],
    // No header Link where the page is the last, or the list is complete.
    [{ _limit: '6' }, [['a', 'b', 'c', 'd', 'e', 'f']]],
    [{ _limit: '2', ID: ['b', 'd'] }, [['b', 'd']]],
    [{ _limit: '1', _sort: 'Number', Number: '2' }, [[]]],
    [{}, [['a', 'b', 'c', 'd', 'e', 'f']]],
  ])('%j leads through every page', async (query, pages) => {
    expect(await pagesOf(api, query)).toEqual(pages);
  }); // prettier-ignore
});

describe('4.1 pages: `_after` (opaque cursor)', () => {
  const isRefused = { _after: ['is not a cursor of this list; take it from the header Link'] };
  const after = (cursor: string, query: Query = {}): Query => ({ _limit: '1', ...query, _after: cursor });

  it('is the beginning of the next page, whatever its length', async () => {
    const cursor = await cursorOf(api, { _limit: '2' });
    expect(await idsOf(api, after(cursor))).toEqual(['c']);
    expect(await idsOf(api, after(cursor, { _limit: '1000' }))).toEqual(['c', 'd', 'e', 'f']);
    expect(await idsOf(api, after(cursor, { _limit: '2', 'ID[ne]': 'd' }))).toEqual(['c', 'e']);
  });

  it('is 422 if it is invalid or was changed', async () => {
    const cursor = await cursorOf(api, { _limit: '2' });
    const tampered = [0, 10, 20, cursor.length - 1].map((at) => {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      return cursor.slice(0, at) + other + cursor.slice(at + 1);
    });
    const resized = [`${cursor}A`, cursor.slice(0, -1), cursor.slice(1), `${cursor}=`, ` ${cursor}`];
    const junk = ['', '1', '[]', btoa('["1"]'), 'A'.repeat(4000), '\0', '😀'];
    for (const text of [...junk, ...tampered, ...resized])
      expect([text, await refusalOf(api, after(text))]).toEqual([text, isRefused]);
  });

  it('is 422 in another order, workflow or workspace', async () => {
    const parts = '/api/v1/workflows/parts/tasks';
    for (const ID of ['1', '2']) await api.post(parts, { 'Part ID': ID }).expect(201);
    const other = await service.clientOf(everyType.replaceAll('acme', 'others'));
    for (const ID of ['1', '2']) await other.post(tasks, { ID }).expect(201);
    const cursor = await cursorOf(api, { _limit: '2' });
    const sorted = await cursorOf(api, { _limit: '2', _sort: 'Text' });
    for (const [client, query] of [
      [api, after(cursor, { _sort: 'Text' })],
      [api, after(cursor, { _sort: '-_created' })],
      [api, after(sorted)],
      [api, after(sorted, { _sort: '-Text' })],
      [api, after(sorted, { _sort: 'Text,Number' })],
      [api, after(await cursorOf(api, { _limit: '1' }, parts))],
      [api, after(await cursorOf(other, { _limit: '1' }))],
      [other, after(cursor)],
    ] as const)
      expect([query, await refusalOf(client, query)]).toEqual([query, isRefused]);
    expect(await idsOf(api, after(sorted, { _sort: 'Text' }))).toEqual(['c']);
  });

  it('reveals neither the number of tasks nor their values', async () => {
    for (const sort of ['_created', 'Text']) {
      const first = await cursorOf(api, { _limit: '1', _sort: sort });
      const second = await cursorOf(api, { _limit: '1', _sort: sort, _after: first });
      const [one, two] = [Buffer.from(first, 'base64url'), Buffer.from(second, 'base64url')];
      expect(one).toHaveLength(two.length);
      for (const bytes of [one, two]) expect(bytes.toString('latin1')).not.toMatch(/secret|^[\d[\]", ]*$/);
      // Neighbours have no more in common than any two texts of random bytes.
      expect(one.filter((byte, at) => byte === two[at]).length).toBeLessThan(one.length / 4);
    }
  });

  it('survives a rename of the field that sorts the list, and the deletion of its task', async () => {
    const own = await service.clientOf(everyType.replaceAll('acme', 'cursors'));
    for (const ID of ['a', 'b', 'c', 'd', 'e']) await own.post(tasks, { ID, Text: ID }).expect(201);
    const [plain, sorted] = [await cursorOf(own, { _limit: '2' }), await cursorOf(own, { _limit: '3', _sort: '-Text' })]; // prettier-ignore
    const renamed = everyType.replace('name: Text,', 'name: Title, was: Text,');
    await service.apply(renamed.replaceAll('acme', 'cursors'));
    for (const ID of ['b', 'c']) await own.delete(`${tasks}/${ID}`).expect(204);
    expect(await idsOf(own, after(plain, { _limit: '9' }))).toEqual(['d', 'e']);
    expect(await idsOf(own, after(sorted, { _limit: '9', _sort: '-Title' }))).toEqual(['a']);
  });

  it('is invalid after a field gets another type, which changes the order of the list', async () => {
    const typed = (type: string): string =>
      workflowOf(['name: ID, type: uniqueId', `name: Size, ${type}`], 'retyped');
    const client = await service.clientOf(typed('type: singleSelect, options: [small, large]'));
    for (const Size of ['small', 'large']) await client.post(tasks, { ID: Size, Size }).expect(201);
    const query = { _limit: '1', _sort: 'Size' };
    const sorted = await cursorOf(client, query);
    await service.apply(typed('type: text'));
    expect(await refusalOf(client, after(sorted, query))).toEqual(isRefused);
    expect(await idsOf(client, after(await cursorOf(client, query), query))).toEqual(['small']);
  });
});

describe('4.1 lists of many tasks', () => {
  const count = 1010;
  const placeOf = (id: string): number => (Number(id.slice(1)) * 7919) % count;

  it('are complete, each task once and in order, at once and page by page, even if tasks are large', async () => {
    const large = 600_000;
    const fields = ['name: ID, type: uniqueId', 'name: Text, type: longText', 'name: N, type: number'];
    const many = await service.clientOf(workflowOf(fields, 'large'));
    // More than a chunk of a list holds: of tasks, and of bytes.
    await fill('large', count, { N: `(n * 7919) % ${count}`, Text: "repeat('a', 3)" });
    await fill('large', 6, { N: '2000', Text: `repeat(chr(97 + n), ${large})` }, 'large-');
    const small = numbered(count, () => true);
    const byN = small.toSorted((a, b) => placeOf(a) - placeOf(b));
    const larges = numbered(6, () => true, 'large-');
    const inRange = small.filter((id) => placeOf(id) > 99);
    for (const [query, ids] of [
      [{}, [...small, ...larges]],
      [{ _sort: 'N' }, [...byN, ...larges]],
      [{ _sort: '-N' }, [...larges, ...byN.toReversed()]],
      [{ 'N[gt]': '99', 'N[lt]': '2000' }, inRange],
      [{ 'N[gt]': '99', 'N[lt]': '2000', _sort: '-_created' }, inRange.toReversed()],
      [{ Stage: 'New', 'N[gt]': '99', 'N[lt]': '2000' }, inRange],
    ] as const) {
      expect(await idsOf(many, query)).toEqual(ids);
      expect((await pagesOf(many, { ...query, _limit: '300' })).flat()).toEqual(ids);
    }
    for (const _sort of ['_created', 'N']) {
      const pages = await walk<{ Text: string }>(many, `${tasks}?_sort=${_sort}&N=2000&_limit=5`);
      expect(pages.map((page) => page.length)).toEqual([5, 1]);
      const texts = [...'bcdefg'].map((letter) => letter.repeat(large));
      expect(pages.flat().map(({ Text }) => Text)).toEqual(texts);
    }
  });

  it('have full pages except the last, even if a filter matches one task of many', async () => {
    const fields = ['name: ID, type: uniqueId', 'name: N, type: number', 'name: Text, type: text'];
    const rare = await service.clientOf(workflowOf(fields, 'rare'));
    await fill('rare', 5100, { N: 'n % 10' });
    await rare.post(tasks, { ID: 'found', N: 11, Text: 'Found' }).expect(201);
    await fill('rare', 5100, { N: '-1' }, 'late-');
    for (const query of [
      { 'N[gt]': '10' },
      { N: '11' },
      { 'Text[contains]': 'found' },
      { '_created[gt]': '2026-01-01T00:00:00Z', 'N[gt]': '10' },
    ])
      for (const _sort of ['_created', '-_created', 'N'])
        expect(await pagesOf(rare, { ...query, _sort, _limit: '10' })).toEqual([['found']]);
  });

  it('are cut, and never look complete, if something fails midway', async () => {
    const fields = ['name: ID, type: uniqueId', 'name: Text, type: longText', 'name: Docs, type: file'];
    await service.apply(workflowOf(fields, 'cut'));
    await fill('cut', 600, { Text: "repeat('x', 1000)" });
    // What no service writes.
    await fill('cut', 1, { Docs: "'no list'" }, 'broken-');
    const headers = { Authorization: `Bearer ${await service.key('cut')}` };
    const answer = await fetch(service.url + tasks, { headers });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });
});
