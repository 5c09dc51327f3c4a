import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { separators } from '../../src/workflows/fields/list-query.js';
import { workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { fill, idsOf, pagesOf, refusalOf, service, tasks, uniqueId } from './lists.js';

const fields = [uniqueId, 'name: Title, type: text', 'name: Notes, type: longText', 'name: Contact, type: email', 'name: Amount, type: number']; // prettier-ignore
const plain = (workspace: string, ...further: string[]): string =>
  workflowOf([...fields, ...further], workspace);
const searched = (workspace: string, ...further: string[]): string =>
  withSearch(plain(workspace, ...further));
const withSearch = (yaml: string): string => yaml.replace('name: Things', '$&\n    search: true');

describe('4.1 `_search` in workflows with `search: true`', () => {
  it('finds the tasks whose Unique ID and texts have a word that begins so, for each word, in any case', async () => {
    const api = await service.clientOf(searched('words'));
    const all = [
      { ID: 'V-100', Title: 'Ärger mit der Straße', Notes: 'Called twice; left/right.', Amount: 42 },
      { ID: 'V-200', Title: 'New desk', Contact: 'mina@acme.test', Notes: 'a\nline below' },
      { ID: 'V-300', Title: 'Old desks, “soon”', Notes: 'https://acme.test/desk?a=1', Contact: null },
      { ID: 'x_1', Title: 'e\u0301te\u0301 हिन्दी 👍 3.14' },
    ];
    for (const task of all) await api.post(tasks, task).expect(201);
    const found = async (_search: string): Promise<unknown> => idsOf(api, { _search });
    expect(await found('DESK')).toEqual(['V-200', 'V-300']);
    expect(await found('desk acme')).toEqual(['V-200', 'V-300']);
    expect(await found('acme, old?')).toEqual(['V-300']);
    expect(await found('ärger STRASSE')).toEqual(['V-100']);
    expect(await found('arger')).toEqual([]);
    expect(await found('esk')).toEqual([]);
    expect(await found('v-2')).toEqual(['V-200']);
    expect(await found('mina@acme.test')).toEqual(['V-200']);
    expect(await found('soon')).toEqual(['V-300']);
    expect(await found('below right')).toEqual([]);
    expect(await found('été 14')).toEqual(['x_1']);
    expect(await found('हिन्द')).toEqual(['x_1']);
    // Numbers, and fields of other types, are for filters.
    expect(await found('42')).toEqual([]);
  });

  it('is refused where the definition does not say so, and where it is empty, long or given twice', async () => {
    const api = await service.clientOf(searched('words'));
    const refused = async (_search: string | string[]): Promise<unknown> => refusalOf(api, { _search });
    for (const none of ['', ' ', '!?', '👍 …'])
      expect(await refused(none)).toEqual({ _search: ['contains no word'] });
    expect(await refused('x'.repeat(201))).toEqual({ _search: ['is longer than 200 characters'] });
    expect(await refused('a b.c d-e f g h/i j k')).toEqual({ _search: ['contains more than 10 words'] });
    expect(await refused(['a', 'b'])).toEqual({ _search: ['is given twice'] });
    expect(await refused('a\0')).toEqual({ _search: ['contains a character that cannot be stored'] });
    const other = await service.clientOf(plain('unsearched'));
    expect(await refusalOf(other, { _search: 'a' })).toEqual({
      _search: ['needs a workflow with search: true in its definition'],
    });
    expect(await refusalOf(other, { q: 'a' })).toEqual({ q: ['is not a field of this workflow'] });
    expect(await refusalOf(api, { q: 'a' })).toEqual({ q: ['is not a field of this workflow; did you mean _search?'] }); // prettier-ignore
  });

  describe('of 2,500 tasks', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(plain('many'));
      await fill('many', 2500, {
        Title: "'Order ' || n || CASE WHEN n % 2 = 0 THEN ' even' ELSE ' odd' END || CASE WHEN n % 833 = 0 THEN ' zebra' ELSE '' END", // prettier-ignore
        Notes: "CASE WHEN n > 2490 THEN 'late' END",
        Amount: 'n * 7919 % 90',
      });
    });

    it('plan tells how many come into the index, which is filled while others write', async () => {
      const planned = await planDefinition(service.dataSource, readDefinition(searched('many'), 'many.yaml'));
      expect(planned.effects).toEqual([
        {
          kind: 'notes',
          what: 'workflow',
          name: 'things',
          count: 2500,
          message:
            '2500 tasks come into its index of words in the background; each write of a text then costs about a quarter more',
          examples: [],
        },
      ]);
      const applied = Promise.all([service.apply(searched('many')), service.apply(searched('many'))]);
      const writing = Array.from({ length: 10 }, async (_, at) => {
        await api.put(tasks, { ID: `n${at * 100 + 1}`, Title: `changed ${at}` }).expect(200);
        await api.post(tasks, { ID: `late${at}`, Title: 'came meanwhile' }).expect(201);
        await api.delete(`${tasks}/n${at * 100 + 3}`).expect(204);
      });
      await Promise.all([applied, ...writing]);
      await expectKept('many', 1);
      expect(await idsOf(api, { _search: 'meanwhile', _limit: '5' })).toHaveLength(5);
      expect(await idsOf(api, { _search: 'changed' })).toHaveLength(10);
    });

    const lists = [
      { _search: 'zebra' },
      { _search: 'even zebra', 'Amount[gt]': '10' },
      { _search: 'odd late', '_created[gte]': '2020-01-01T00:00:00Z' },
      { _search: 'late', _sort: '-Amount' },
      { _search: 'even', _sort: '-Title', 'Amount[lte]': '10' },
    ];

    it('combines with filters, sorts and pages as any filter does; while the index is being filled, too', async () => {
      const shown = await wholeTexts(api);
      const expected = [];
      for (const { _search, ...other } of lists) {
        const all = await idsOf(api, other);
        expected.push(all.filter((id) => isFound(shown.get(id) ?? '', _search)));
      }
      for (const isFilled of [true, false]) {
        await service.dataSource.query(
          `UPDATE field_indexes SET is_filled = $2, filled_to = CASE WHEN $2 THEN filled_to ELSE 0 END WHERE ${ofWorkspace}`,
          ['many', isFilled],
        );
        for (const [n, list] of lists.entries())
          expect([list, (await pagesOf(api, { ...list, _limit: '900' })).flat()]).toEqual([
            list,
            expected[n],
          ]);
      }
    });
  });

  describe('its index holds the words that tasks have', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(searched('kept'));
    });

    afterEach(() => expectKept('kept', 1));

    it('whatever writes them: a creation, a change, a blank, a batch, a deletion', async () => {
      for (const ID of ['a', 'b', 'c']) await api.post(tasks, { ID, Title: `first ${ID}` }).expect(201);
      await api.put(tasks, { ID: 'a', Title: 'second' }).expect(200);
      await api.put(tasks, { ID: 'b', Title: null, Amount: 3 }).expect(200);
      await writeAll('kept', [{ ID: 'c', Notes: 'third' }, { ID: 'd', Title: 'fourth' }]); // prettier-ignore
      await api.delete(`${tasks}/d`).expect(204);
      expect(await idsOf(api, { _search: 'first' })).toEqual(['c']);
    });

    it('after a rename, a new field, a field of another type and back, and a removed one', async () => {
      const [{ id } = { id: 0 }] = await indexesOf('kept');
      await service.apply(searched('kept', 'name: Remark, type: text').replace('name: Title', 'name: Subject, was: Title')); // prettier-ignore
      await api.put(tasks, { ID: 'b', Remark: 'fresh', Amount: 77 }).expect(200);
      expect(await idsOf(api, { _search: 'fresh' })).toEqual(['b']);
      expect(await indexesOf('kept')).toEqual([{ id, isFilled: true }]);
      const yaml = searched('kept', 'name: Remark, type: text').replace('name: Title', 'name: Subject');
      await service.apply(yaml.replace('type: number', 'type: text'));
      expect(await idsOf(api, { _search: '77' })).toEqual(['b']);
      await service.apply(yaml);
      expect(await idsOf(api, { _search: '77' })).toEqual([]);
      const without = readDefinition(searched('kept').replace('name: Title', 'name: Subject'), 'kept.yaml');
      await applyDefinition(service.dataSource, without, { isPruning: true, allowsDataLoss: true });
      expect(await idsOf(api, { _search: 'fresh' })).toEqual([]);
    });

    it('and nothing once the search is turned off; it is made again', async () => {
      const yaml = searched('kept').replace('name: Title', 'name: Subject');
      await service.apply(yaml.replace('search: true', 'search: false'));
      await expectKept('kept', 0);
      await service.apply(yaml);
    });

    it('the beginning of texts that are too long for it', async () => {
      const long = `begin ${'x'.repeat(5000)} ${'word '.repeat(30_000)} end`;
      await api.post(tasks, { ID: 'long', Notes: long }).expect(201);
      expect(await idsOf(api, { _search: `begin ${'x'.repeat(190)}` })).toEqual(['long']);
      expect(await idsOf(api, { _search: 'begin end' })).toEqual([]);
    });
  });
});

const ofWorkspace = 'workspace_id = (SELECT id FROM workspaces WHERE slug = $1)';

function wordsIn(text: string): string[] {
  return text.normalize('NFC').toUpperCase().split(separators).filter((word) => word !== ''); // prettier-ignore
}

function isFound(text: string, search: string): boolean {
  return wordsIn(search).every((word) => wordsIn(text).some((own) => own.startsWith(word)));
}

/** Writes tasks by one batch. */
async function writeAll(workspace: string, all: readonly object[]): Promise<void> {
  const answer = await fetch(`${service.url}${tasks}/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await service.key(workspace)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(all),
  });
  expect((await answer.text()).match(/"(?:updated|created)"/g)).toHaveLength(all.length);
}

/** The texts of all tasks by their ID. */
async function wholeTexts(api: Client): Promise<ReadonlyMap<unknown, string>> {
  const { body } = await api.get(`${tasks}?_fields=ID,Title,Notes,Contact`).expect(200);
  return new Map((body as Record<string, string | null>[]).map((task) => [task['ID'], Object.values(task).join(' ')])); // prettier-ignore
}

async function indexesOf(workspace: string): Promise<{ id: number; isFilled: boolean }[]> {
  return service.dataSource.query(
    `SELECT id, is_filled AS "isFilled" FROM field_indexes WHERE ${ofWorkspace}`,
    [workspace],
  );
}

/** The indexes of a workspace that are filled, and how many of their rows are missing or hold what no task has. */
async function kept(workspace: string): Promise<Record<string, unknown>> {
  const [found = {}] = await service.dataSource.query<Record<string, unknown>[]>(
    `WITH expected AS (
       SELECT i.id AS index_id, t.id AS task_id, words_of(i.id, i.text_fields, t.unique_value, t.field_values) AS words
       FROM field_indexes i JOIN tasks t ON t.workspace_id = i.workspace_id AND t.workflow_id = i.workflow_id
       WHERE i.${ofWorkspace}
     ), kept AS (
       SELECT w.index_id, w.task_id, w.words FROM task_words w WHERE w.${ofWorkspace}
     )
     SELECT (SELECT count(*)::integer FROM field_indexes WHERE ${ofWorkspace} AND is_filled) AS indexes,
       (SELECT count(*)::integer FROM (TABLE expected EXCEPT TABLE kept) missing) AS missing,
       (SELECT count(*)::integer FROM (TABLE kept EXCEPT TABLE expected) stale) AS stale`,
    [workspace],
  );
  return found;
}

async function expectKept(workspace: string, count: number): Promise<void> {
  expect(await kept(workspace)).toEqual({ indexes: count, missing: 0, stale: 0 });
}
