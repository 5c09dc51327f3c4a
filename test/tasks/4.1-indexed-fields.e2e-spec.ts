import { workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';
import { clientOf, close, fill, headersOf, idsOf, numbered, open, pagesOf, type Query, service, tasks, uniqueId } from './lists.js'; // prettier-ignore

const amount = (...settings: string[]): string => ['name: Amount, type: number', ...settings].join(', ');
const title = (...settings: string[]): string => ['name: Title, type: text', ...settings].join(', ');
const index = 'index: true';
const plain = (workspace: string): string => workflowOf([uniqueId, amount(), title()], workspace);
const indexed = (workspace: string): string => workflowOf([uniqueId, amount(index), title(index)], workspace);

describe('4.1 fields with `index: true`', () => {
  beforeAll(open);
  afterAll(close);

  describe('the index holds each task once, by the value that it has', () => {
    let api: Client;

    beforeAll(async () => {
      api = await clientOf('kept', indexed('kept'));
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
    const api = await clientOf('busy', plain('busy'));
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
      api = await clientOf('many', plain('many'));
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

    it('a page looks at 2,500 tasks at most: it may be shorter than its limit and have a next one', async () => {
      await service.apply(indexed('many'));
      const pages = await pagesOf(api, { 'ID[contains]': 'n600', _sort: 'Title', _limit: '100' });
      expect(pages).toHaveLength(3);
      expect(pages.flat()).toHaveLength(2);
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
      for (const sort of ['Amount', '-Amount', '_created', '-_updated', 'Stage', '-Assigned+To'])
        expect(await timing(sort)).toBe(undefined);
    });
  });

  describe('`Stage`, `Assigned To` and `_created` are always served by an index', () => {
    const count = 6_000;
    const stages = ['New', 'Open', 'Rare', 'Done'];
    const users = ['b@acme.test', 'a@acme.test', 'c@acme.test'];
    const owner = (n: number): string | undefined => [...users, undefined][(n * 7) % 4];
    const stage = (n: number): string => (n % 1500 === 0 ? 'Rare' : ['New', 'Open', 'Done'][n % 3]) ?? '';
    const ids = (fits: (n: number) => boolean): string[] => numbered(count, fits);
    const inStages = (...names: string[]): string[] => ids((n) => names.includes(stage(n)));
    const pages = async (query: Query): Promise<unknown[][]> =>
      pagesOf(api, { _limit: '1000', _fields: 'ID', ...query });
    let api: Client;

    beforeAll(async () => {
      const definition = workflowOf([uniqueId], 'always')
        .replace(/stages: \[.*\]/, `stages: [${stages.map((name) => `{ name: ${name} }`).join(', ')}]`)
        .replace(/users: \[.*\]/, `users: [${users.map((email) => `{ email: ${email} }`).join(', ')}]`);
      api = await clientOf('always', definition);
      await fill('always', count, {});
      // A task an hour.
      await service.dataSource.query(
        `UPDATE tasks SET created_at = timestamptz '2025-01-01T00:00:00Z' + n * interval '1 hour',
           stage_id = (SELECT id FROM stages s WHERE s.workspace_id = w.id AND s.name = CASE WHEN n % 1500 = 0 THEN 'Rare'
             ELSE (ARRAY['New', 'Open', 'Done'])[1 + n % 3] END),
           assignee_id = (SELECT id FROM users u WHERE u.workspace_id = w.id AND u.email = ($1::text[])[1 + n * 7 % 4])
         FROM (SELECT id AS task_id, substr(unique_value, 2)::integer AS n FROM tasks WHERE ${ofWorkspace.replace('$1', '$2')}) numbered, workspaces w
         WHERE task_id = tasks.id AND w.id = tasks.workspace_id AND w.slug = $2`,
        [users, 'always'],
      );
    });

    it('sorted by Stage: in the order of the definition', async () => {
      const expected = stages.map((name) => inStages(name)).toReversed();
      expect((await pages({ _sort: '-Stage' })).flat()).toEqual(expected.flat());
    });

    it('sorted by Assigned To: by e-mail, nobody last in both directions', async () => {
      const [nobody, ...others] = [undefined, ...users.toSorted()].map((user) =>
        ids((n) => owner(n) === user),
      );
      expect((await pages({ _sort: 'Assigned To' })).flat()).toEqual([...others, nobody].flat());
      expect((await pages({ _sort: '-Assigned To' })).flat()).toEqual(
        [...others.toReversed(), nobody].flat(),
      );
    });

    it('filtered by several stages or users, or by a range of them: no page is short', async () => {
      expect(await pages({ 'Stage[gte]': 'Rare', 'Stage[lt]': 'Done' })).toEqual([inStages('Rare')]);
      const sorted = await pages({ _sort: 'Stage', Stage: ['Done', 'Rare'], _limit: '700' });
      expect(sorted.flat()).toEqual([...inStages('Rare'), ...inStages('Done')]);
      expect(sorted.map(({ length }) => length).slice(0, -1)).toEqual([700, 700]);
      const found = await pages({ 'Stage[ne]': 'New', _sort: '-_created', _limit: '900' });
      expect(found.flat()).toEqual(inStages('Open', 'Rare', 'Done').toReversed());
      expect(found.slice(0, -1).every((page) => page.length === 900)).toBe(true);
      const later = await pages({ 'Assigned To[gt]': 'a@acme.test' });
      expect(later.flat()).toEqual(ids((n) => ['b@acme.test', 'c@acme.test'].includes(owner(n) ?? '')));
      expect(later).toHaveLength(3);
    });

    it('a range of _created begins at its first task: no page is empty', async () => {
      const at = (n: number): string => new Date(Date.UTC(2025, 0, 1, n)).toISOString();
      const late = ids((n) => n >= 5_950);
      const [first, second] = [late.slice(0, 40), late.slice(40)];
      expect(await pages({ '_created[gte]': at(5_950), _limit: '40' })).toEqual([first, second]);
      const between = { '_created[gt]': at(4000), '_created[lte]': at(4003) };
      expect(await pages(between)).toEqual([['n4001', 'n4002', 'n4003']]);
      expect(await pages({ ...between, _sort: 'ID' })).toEqual([['n4001', 'n4002', 'n4003']]);
      expect(await pages({ '_created[gte]': at(20_000) })).toEqual([[]]);
      expect(await idsOf(api, { '_created[lt]': [at(3), at(2)] })).toEqual(['n1', 'n2']);
    });

    it('also where a transaction was slow: ids and times need not have quite the same order', async () => {
      await service.dataSource.query(
        `UPDATE tasks SET created_at = created_at - interval '62 minutes' WHERE unique_value = 'n3500' AND ${ofWorkspace}`,
        ['always'],
      );
      const time = (hour: number, minute: number): string =>
        new Date(Date.UTC(2025, 0, 1, hour, minute)).toISOString();
      const found = { '_created[gte]': time(3498, 50), '_created[lte]': time(3499, 0) };
      expect(await pages(found)).toEqual([['n3499', 'n3500']]);
    });

    it('and where all were created within an hour', async () => {
      await service.dataSource.query(
        `UPDATE tasks SET created_at = n.instant, updated_at = n.instant
         FROM (SELECT id AS task_id, timestamptz '2026-01-01T00:00:00Z' + substr(unique_value, 2)::integer * interval '1 ms' AS instant
           FROM tasks WHERE ${ofWorkspace}) n WHERE task_id = id`,
        ['always'],
      );
      const late = new Date(Date.UTC(2026, 0, 1) + 5998).toISOString();
      expect(await pages({ '_created[gte]': late, _limit: '10' })).toEqual([['n5998', 'n5999', 'n6000']]);
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
