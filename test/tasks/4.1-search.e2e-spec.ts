import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { sendBatch } from '../support/batch.js';
import { workflowOf } from '../support/definitions.js';
import {
  expectKept,
  fill,
  idsOf,
  listOf,
  ofWorkspace,
  pagesOf,
  refusalOf,
  service,
  tasks,
  uniqueId,
} from './lists.js';

const fields = [uniqueId, 'name: Title, type: text', 'name: Notes, type: longText', 'name: Contact, type: email', 'name: Amount, type: number']; // prettier-ignore
const plain = (workspace: string, ...further: string[]): string =>
  workflowOf([...fields, ...further], workspace);
const searched = (workspace: string, ...further: string[]): string =>
  plain(workspace, ...further).replace('name: Things', '$&\n    search: true');

describe('4.1 `_search` in workflows with `search: true`', () => {
  it('finds the tasks whose Unique ID and texts have a word with each given beginning, in any case', async () => {
    const api = await service.clientOf(searched('words'));
    for (const task of [
      { ID: 'V-100', Title: 'Ärger mit der Straße', Notes: 'Called twice; left/right.', Amount: 42 },
      { ID: 'V-200', Title: 'New desk', Contact: 'mina@acme.test', Notes: 'a\nline below' },
      { ID: 'V-300', Title: 'Old desks, “soon”', Notes: 'https://acme.test/desk?a=1', Contact: null },
      { ID: 'x_1', Title: 'e\u0301te\u0301 हिन्दी 👍 3.14' },
    ])
      await api.post(tasks, task).expect(201);
    for (const [_search, ids] of [
      ['DESK', ['V-200', 'V-300']],
      ['desk acme', ['V-200', 'V-300']],
      ['acme, old?', ['V-300']],
      ['ärger STRASSE', ['V-100']],
      ['arger', []],
      ['esk', []],
      ['v-2', ['V-200']],
      ['mina@acme.test', ['V-200']],
      ['soon', ['V-300']],
      ['below right', []],
      ['été 14', ['x_1']],
      ['हिन्द', ['x_1']],
      // Numbers, and fields of other types, are for filters.
      ['42', []],
    ] as const)
      expect([_search, await idsOf(api, { _search })]).toEqual([_search, ids]);
  });

  it('is refused if the definition does not allow it, and if it is empty, long or given twice', async () => {
    const api = await service.clientOf(searched('words'));
    const noWord = 'contains no word';
    for (const [_search, message] of [
      ['', noWord],
      [' ', noWord],
      ['!?', noWord],
      ['👍 …', noWord],
      ['x'.repeat(201), 'is longer than 200 characters'],
      ['a b.c d-e f g h/i j k', 'contains more than 10 words'],
      [['a', 'b'], 'is given twice'],
      ['a\0', 'contains a character that cannot be stored'],
    ] as const)
      expect(await refusalOf(api, { _search })).toEqual({ _search: [message] });
    const isNoField = 'is not a field of this workflow';
    expect(await refusalOf(api, { q: 'a' })).toEqual({ q: [`${isNoField}; did you mean _search?`] });
    const other = await service.clientOf(plain('unsearched'));
    const needed = ['needs a workflow with search: true in its definition'];
    expect(await refusalOf(other, { _search: 'a', q: 'a' })).toEqual({ _search: needed, q: [isNoField] });
  });

  it('has an index, and combines with filters, sorts and pages, even while the index is filled', async () => {
    const api = await service.clientOf(plain('many'));
    await fill('many', 2500, {
      Title: "'Order ' || n || CASE WHEN n % 2 = 0 THEN ' even' ELSE ' odd' END || CASE WHEN n % 833 = 0 THEN ' zebra' ELSE '' END", // prettier-ignore
      Notes: "CASE WHEN n > 2490 THEN 'late' END",
      Amount: 'n * 7919 % 90',
    });
    await service.apply(searched('many'));
    await expectKept('many', 1);

    const texts = new Map(
      (await listOf(api, { _fields: 'ID,Title,Notes,Contact' })).map((task) => [
        task['ID'],
        Object.values(task).join(' ').toLowerCase().split(' '),
      ]),
    );
    for (const { _search, ...other } of [
      { _search: 'zebra' },
      { _search: 'even zebra', 'Amount[gt]': '10' },
      { _search: 'odd late', '_created[gte]': '2020-01-01T00:00:00Z' },
      { _search: 'late', _sort: '-Amount' },
      { _search: 'even', _sort: '-Title', 'Amount[lte]': '10' },
    ]) {
      const isFound = (id: unknown): boolean =>
        _search.split(' ').every((word) => texts.get(id)?.some((own) => own.startsWith(word)));
      const expected = (await idsOf(api, other)).filter(isFound);
      for (const isFilled of [true, false]) {
        await service.dataSource.query(
          `UPDATE field_indexes SET is_filled = $2, filled_to = CASE WHEN $2 THEN filled_to ELSE 0 END WHERE ${ofWorkspace}`,
          ['many', isFilled],
        );
        const pages = await pagesOf(api, { ...other, _search, _limit: '900' });
        expect([_search, pages.flat()]).toEqual([_search, expected]);
      }
    }
  });

  it('finds the current words of tasks, whatever writes the tasks or changes the fields', async () => {
    const api = await service.clientOf(searched('kept'));
    const expectFound = async (_search: string, ...ids: string[]): Promise<void> => {
      expect(await idsOf(api, { _search })).toEqual(ids);
      await expectKept('kept', 1);
    };
    for (const ID of ['a', 'b', 'c']) await api.post(tasks, { ID, Title: `first ${ID}` }).expect(201);
    await api.put(tasks, { ID: 'a', Title: 'second' }).expect(200);
    await api.put(tasks, { ID: 'b', Title: null, Amount: 3 }).expect(200);
    await sendBatch(service, 'kept', tasks, [{ ID: 'c', Notes: 'third' }, { ID: 'd', Title: 'fourth' }]); // prettier-ignore
    await api.delete(`${tasks}/d`).expect(204);
    await expectFound('first', 'c');
    // A rename, a new field, a field of another type, and a removed one.
    const renamed = (name: string, ...further: string[]): string =>
      searched('kept', ...further).replace('name: Title', `name: ${name}`);
    const index = `SELECT id, is_filled FROM field_indexes WHERE ${ofWorkspace}`;
    const before = await service.dataSource.query<unknown[]>(index, ['kept']);
    await service.apply(renamed('Subject, was: Title', 'name: Remark, type: text'));
    expect(await service.dataSource.query(index, ['kept'])).toEqual(before);
    await api.put(tasks, { ID: 'b', Remark: 'fresh', Amount: 77 }).expect(200);
    await expectFound('fresh', 'b');
    const asTexts = (...further: string[]): string =>
      renamed('Subject', ...further).replace('type: number', 'type: text');
    await service.apply(asTexts('name: Remark, type: text'));
    await expectFound('77', 'b');
    const without = readDefinition(asTexts(), 'kept.yaml');
    await applyDefinition(service.dataSource, without, { isPruning: true, allowsDataLoss: true });
    await expectFound('fresh');
    // Search is turned off and on; of texts that are too long the beginning is found.
    await service.apply(asTexts().replace('search: true', 'search: false'));
    await expectKept('kept', 0);
    await service.apply(asTexts());
    const long = `begin ${'x'.repeat(5000)} ${'word '.repeat(30_000)} end`;
    await api.post(tasks, { ID: 'long', Notes: long }).expect(201);
    await expectFound(`begin ${'x'.repeat(190)}`, 'long');
    await expectFound('begin end');
  });
});
