import { workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';
import { fill, headersOf, idsOf, pagesOf, type Query, service, tasks, uniqueId } from './lists.js';

const amount = (...settings: string[]): string => ['name: Amount, type: number', ...settings].join(', ');
const title = (...settings: string[]): string => ['name: Title, type: text', ...settings].join(', ');
const index = 'index: true';
const plain = (workspace: string): string => workflowOf([uniqueId, amount(), title()], workspace);
const indexed = (workspace: string): string => workflowOf([uniqueId, amount(index), title(index)], workspace);

describe('4.1 fields with `index: true`', () => {
  describe('the index holds each task once, by the value that it has', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(indexed('kept'));
    });

    afterEach(() => expectKept('kept', 2));

    it('whatever writes it: a creation, a change, a blank, a batch, a deletion', async () => {
      for (const ID of ['a', 'b', 'c']) await api.post(tasks, { ID, Amount: 1, Title: ID }).expect(201);
      await api.put(tasks, { ID: 'a', Amount: -0.5 }).expect(200);
      await api.put(tasks, { ID: 'b', Title: null }).expect(200);
      const answer = await fetch(`${service.url}${tasks}/batch`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${await service.key('kept')}`,
          'Content-Type': 'application/x-ndjson',
        },
        body: `{"ID":"c","Amount":12}\n{"ID":"d","Title":"${'x'.repeat(300)}"}`,
      });
      expect((await answer.text()).match(/"updated"|"created"/g)).toEqual(['"updated"', '"created"']);
      await api.delete(`${tasks}/a`).expect(204);
      expect(await idsOf(api, { _sort: '-Amount' })).toEqual(['c', 'b', 'd']);
    });

    it('also when an apply gives the field another type, and back', async () => {
      await service.apply(indexed('kept').replace('type: number', 'type: text'));
      await expectKept('kept', 2);
      await service.apply(indexed('kept'));
    });

    it('is dropped with `index`, with the field, and is made again', async () => {
      await service.apply(plain('kept'));
      await expectKept('kept', 0);
      await service.apply(indexed('kept'));
      await expectKept('kept', 2);
    });
  });

  it('is filled while others write', async () => {
    const api = await service.clientOf(plain('busy'));
    await fill('busy', 1500, { Amount: 'n', Title: "'t' || n" });
    // Whoever comes second shares the work.
    const applied = Promise.all([service.apply(indexed('busy')), service.apply(indexed('busy'))]);
    const writing = Array.from({ length: 10 }, async (_, at) => {
      await api.put(tasks, { ID: `n${at * 100 + 1}`, Amount: -at }).expect(200);
      await api.post(tasks, { ID: `late${at}`, Amount: at / 100 }).expect(201);
      await api.delete(`${tasks}/n${at * 100 + 2}`).expect(204);
    });
    await Promise.all([applied, ...writing]);
    await expectKept('busy', 2);
  });

  describe('of 6,000 tasks', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(plain('many'));
      // Many tasks share an amount; some have none.
      const values = {
        Amount: 'CASE WHEN n % 10 > 0 THEN n * 7919 % 90 END',
        Title: "'t' || n * 7919 % 6000",
      };
      await fill('many', 6000, values);
    });

    it('a sorted or compared list is the same as without an index, page by page', async () => {
      const queries: Query[] = [
        { _sort: 'Amount' },
        { _sort: '-Title' },
        { _sort: 'Title', Title: ['t1', 't20', 't300'] },
        { _sort: '-Amount', 'Title[contains]': '99' },
        { _sort: '-Amount', 'Amount[gt]': '80' },
        { _sort: '-_created', 'Title[gte]': 't599' },
      ];
      const expected = [];
      for (const query of queries) expected.push(await idsOf(api, { ...query, _fields: 'ID' }));
      await service.apply(indexed('many'));
      for (const [at, query] of queries.entries())
        expect((await pagesOf(api, { ...query, _fields: 'ID', _limit: '1000' })).flat()).toEqual(
          expected[at],
        );
    });

    it('an apply that breaks off leaves lists as they were; the next one goes on', async () => {
      await service.apply(plain('many'));
      const expected = await idsOf(api, { _sort: '-Amount', _limit: '900' });
      const release = await holdTasks(service.dataSource, 'many', 'n4000');
      const broken = service.apply(indexed('many')).catch((error: unknown) => String(error));
      await blocked(service.dataSource, 1, '%INSERT INTO task_sort_keys%');
      await cutOffFillers();
      expect(await broken).toMatch('terminat');
      const [index] = await indexesOf('many');
      expect(index).toMatchObject({ isFilled: false, filledTo: expect.any(Number) as number });
      expect(index?.filledTo).toBeGreaterThan(0);
      expect(await idsOf(api, { _sort: '-Amount', _limit: '900' })).toEqual(expected);
      await release();
      await service.apply(indexed('many'));
      await expectKept('many', 2);
      expect(await idsOf(api, { _sort: '-Amount', _limit: '900' })).toEqual(expected);
    });

    it('and so does a worker, if nobody applies', async () => {
      await service.dataSource.query(`DELETE FROM task_sort_keys WHERE task_id % 3 = 0 AND ${ofWorkspace}`, [
        'many',
      ]);
      await service.dataSource.query(
        `UPDATE field_indexes SET is_filled = false, filled_to = 0 WHERE ${ofWorkspace}`,
        ['many'],
      );
      await service.settle();
      await expectKept('many', 2);
    });

    it('a list that no index keeps in its order, or has the range of, says so', async () => {
      await service.apply(workflowOf([uniqueId, amount(index), title()], 'many'));
      const timing = async (sort: string): Promise<unknown> =>
        headersOf((await api.get(`${tasks}?_sort=${sort}&_limit=1`).expect(200)).headers)['server-timing'];
      expect(await timing('Title')).toBe('sort;desc="no index"');
      expect(await timing('Amount,Title')).toBe('sort;desc="no index"');
      expect(await timing('Title&Title[gt]=t')).toBe('sort;desc="no index", filter;desc="no index"');
      expect(await timing('Amount&Title[lte]=t')).toBe('filter;desc="no index"');
      expect(await timing('Amount&Amount[gt]=1&Title[contains]=t&_created[lt]=2030-01-01T00:00:00Z')).toBe(undefined); // prettier-ignore
      expect(await timing('-Stage')).toBe('sort;desc="no index"');
      for (const sort of ['Amount', '-Amount', '_created', '-_updated'])
        expect(await timing(sort)).toBe(undefined);
    });
  });

  it('other types and an eleventh field are refused', async () => {
    const refused = (fields: string[]): Promise<unknown> => service.apply(workflowOf(fields, 'refused'));
    await expect(refused([`name: ID, type: uniqueId, ${index}`])).rejects.toThrow('is not for uniqueId');
    await expect(refused([`name: A, type: multipleSelect, options: [A], ${index}`])).rejects.toThrow('is not for multipleSelect'); // prettier-ignore
    const eleven = Array.from({ length: 11 }, (_, n) => `name: F${n}, type: date, ${index}`);
    await expect(refused(eleven)).rejects.toThrow('is already set on 10 other fields');
    await service.apply(workflowOf(eleven.slice(1), 'refused'));
  });
});

const ofWorkspace = 'workspace_id = (SELECT id FROM workspaces WHERE slug = $1)';

/** Cuts the connections on which indexes are filled and wait for a task. */
async function cutOffFillers(): Promise<void> {
  await service.dataSource.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO task_sort_keys%'`,
  );
}

async function indexesOf(workspace: string): Promise<{ isFilled: boolean; filledTo: number }[]> {
  return service.dataSource.query(
    `SELECT is_filled AS "isFilled", filled_to::integer AS "filledTo" FROM field_indexes WHERE ${ofWorkspace}`,
    [workspace],
  );
}

/** That the indexes of a workspace, so many and all filled, hold what its tasks hold, and no other index holds anything. */
async function expectKept(workspace: string, count: number): Promise<void> {
  const [found] = await service.dataSource.query<Record<string, unknown>[]>(
    `WITH expected AS (
       SELECT i.workspace_id, i.id AS index_id, sort_key_of(t.field_values ->> i.field_id, i.kind) AS sort_key, t.id AS task_id
       FROM field_indexes i JOIN workspaces w ON w.id = i.workspace_id AND w.slug = $1
       JOIN tasks t ON t.workspace_id = i.workspace_id AND t.workflow_id = i.workflow_id
     ), kept AS (
       SELECT k.workspace_id, k.index_id, k.sort_key, k.task_id FROM task_sort_keys k
       LEFT JOIN field_indexes i ON i.workspace_id = k.workspace_id AND i.id = k.index_id LEFT JOIN workspaces w ON w.id = i.workspace_id
       WHERE w.slug IS NULL OR w.slug = $1
     )
     SELECT (SELECT count(*)::integer FROM field_indexes i JOIN workspaces w ON w.id = i.workspace_id
         WHERE w.slug = $1 AND is_filled) AS indexes,
       (SELECT count(*)::integer FROM (TABLE expected EXCEPT TABLE kept) missing) AS missing,
       (SELECT count(*)::integer FROM (TABLE kept EXCEPT TABLE expected) stale) AS stale`,
    [workspace],
  );
  expect(found).toEqual({ indexes: count, missing: 0, stale: 0 });
}
