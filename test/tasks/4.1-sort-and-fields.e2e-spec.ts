import { everyType, workflowOf } from '../support/definitions.js';
import { nextOf } from '../support/pages.js';
import { cursorOf, idsOf, listOf, pagesOf, refusalOf, service, type Task, tasks, uniqueId } from './lists.js';

const unknown = 'contains a name that is not a field of this workflow: ';
const api = await service.clientOf(everyType);
await api.post(tasks, { ID: '1', Text: 'one', Number: '1.50', 'Open?': true }).expect(201);

// The order of each type is tested with its filters.
describe('4.1 `_sort` (`Field` or `-Field`)', () => {
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

  it.each(['', ', index: true'])(
    'texts with the same first 200 characters are in order of creation, even if tasks are deleted (field%s)',
    async (index) => {
      const workspace = index === '' ? 'alike' : 'indexed';
      const fields = [uniqueId, `name: Text, type: longText${index}`];
      const alike = await service.clientOf(workflowOf(fields, workspace));
      const start = 'é'.repeat(200);
      const texts = { d: 'd', c1: 'c', a: 'a', c2: 'c', long: `b${'x'.repeat(150_000)}`, none: '' };
      for (const [ID, end] of Object.entries(texts))
        await alike.post(tasks, { ID, Text: start + end }).expect(201);
      await alike.post(tasks, { ID: 'first', Text: start.slice(1) }).expect(201);
      await alike.post(tasks, { ID: 'smile', Text: '😀'.repeat(201) }).expect(201);
      await alike.post(tasks, { ID: 'smiles', Text: '😀'.repeat(200) }).expect(201);
      await alike.post(tasks, { ID: 'blank' }).expect(201);
      const begunAlike = Object.keys(texts);
      const ascending = ['first', ...begunAlike, 'smile', 'smiles', 'blank'];
      for (const [_sort, ids] of [
        ['Text', ascending],
        ['-Text', ['smile', 'smiles', ...begunAlike, 'first', 'blank']],
        ['Text,-_created', ['first', ...begunAlike.toReversed(), 'smiles', 'smile', 'blank']],
      ] as const)
        for (const _limit of ['1', '3', '1000'])
          expect((await pagesOf(alike, { _sort, _limit })).flat()).toEqual(ids);
      const seen: unknown[] = [];
      for (let at = `${tasks}?_sort=Text&_limit=1`; at !== '';) {
        const page = await alike.get(at).expect(200);
        const [{ ID = '' } = {}] = page.body as { ID?: string }[];
        seen.push(ID);
        // As one does who works a list off.
        await alike.delete(`${tasks}/${ID}`).expect(204);
        at = nextOf(page);
      }
      expect(seen).toEqual(ascending);
    },
  );

  it.each([
    ['-Nope', `${unknown}-Nope`],
    ['Text,Nope', `${unknown}Nope`],
    ['text', `${unknown}text; did you mean Text?`],
    ['', 'needs the name of a field'],
    ['Text,', 'needs the name of a field'],
    ['Text, ID', `${unknown} ID; did you mean ID?`],
    ['-Contract', 'cannot be -Contract: lists are never sorted by relationships, files or Task URL'],
    ['ID,ID,ID,ID,ID', 'names more than 4 fields'],
    [['Text', 'ID'], 'is given twice: separate the names by commas'],
  ])('%j is 422', async (_sort, message) => {
    expect(await refusalOf(api, { _sort })).toEqual({ _sort: [message] });
  });

  it('takes the longest name with commas, and an exact name that begins with -', async () => {
    const names = ['A', 'B', 'A,B', '-A', 'C,', '-A,B,'];
    const fields = names.map((name) => `name: ${JSON.stringify(name)}, type: text`);
    const odd = await service.clientOf(workflowOf([uniqueId, ...fields], 'odd'));
    for (const values of ['1123232', '2112313', '3031121']) {
      const [ID, ...of] = values;
      await odd
        .post(tasks, { ID, ...Object.fromEntries(names.map((name, at) => [name, of[at]])) })
        .expect(201);
    }
    for (const [_sort, ids] of [
      ['A,B', '321'],
      ['-A', '312'],
      ['--A', '213'],
      ['-A,B', '123'],
    ] as const)
      expect((await pagesOf(odd, { _sort, _limit: '1' })).flat().join('')).toBe(ids);
  });
});

describe('4.1 `_fields` (comma list)', () => {
  it.each([
    ['Number,Text,ID', '{"ID":"1","Text":"one","Number":"1.5"}'],
    ['Parts,Contract,Open%3F,Stage', '{"Stage":"New","Open?":true,"Contract":[],"Parts":[]}'],
  ])('%s shows these keys only, in the order of the schema', async (fields, json) => {
    for (const further of ['', '&_limit=1', '&_sort=Text', '&Number=1.5'])
      expect((await api.get(`${tasks}?_fields=${fields}${further}`).expect(200)).text).toBe(`[${json}]`);
  });

  it('shows `_created` and `_updated` on request only, after all others', async () => {
    const [task = {}] = await listOf(api, { _fields: '_updated,ID,_created' });
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(task).toEqual({ ID: '1', _created: instant, _updated: instant });
    expect(Object.keys(task)).toEqual(['ID', '_created', '_updated']);
    const [plain = {}] = await listOf(api, { _sort: '_updated' });
    expect(Object.keys(plain).filter((name) => name.startsWith('_'))).toEqual([]);
  });

  it.each([
    ['ID,Nope', `${unknown}Nope`],
    ['', 'needs the name of a field'],
    ['-ID', `${unknown}-ID; did you mean ID?`],
    [['ID', 'Text'], 'is given twice: separate the names by commas'],
  ])('%j is 422', async (_fields, message) => {
    expect(await refusalOf(api, { _fields })).toEqual({ _fields: [message] });
  });
});

describe('4.1 `_count=true` (adds `X-Total-Count`)', () => {
  it('counts all tasks that match, on other pages, too; another value, or two values, is 422', async () => {
    const counted = await service.clientOf(everyType.replaceAll('acme', 'counted'));
    for (const n of [1, 2, 3, 4, 5])
      await counted.post(tasks, { ID: `${n}`, Number: n, Stage: n > 3 ? 'Done' : 'New' }).expect(201);
    const second = await cursorOf(counted, { _limit: '2', _count: 'true' });
    for (const [suffix, count, length] of [
      ['?_count=true', '5', 5],
      ['?_count=true&_limit=2&_sort=-Number', '5', 2],
      [`?_count=true&_limit=2&_after=${second}`, '5', 2],
      ['?_count=true&Number%5Bgt%5D=1&_limit=1', '4', 1],
      ['?_count=true&Number=9&_limit=1', '0', 0],
      ['/active?_count=true', '3', 3],
    ] as const) {
      const { headers, body } = await counted.get(tasks + suffix).expect(200);
      const shown = [suffix, headers['x-total-count'] as unknown, (body as Task[]).length];
      expect(shown).toEqual([suffix, count, length]);
    }
    for (const _count of ['maybe', '', '1', 'TRUE'])
      expect(await refusalOf(counted, { _count })).toEqual({ _count: ['is not true or false'] });
    expect(await refusalOf(counted, { _count: ['true', 'true'] })).toEqual({ _count: ['is given twice'] });
  });
});
