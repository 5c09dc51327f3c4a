import { sendBatch } from '../support/batch.js';
import { blocked } from '../support/blocked.js';
import { workflowOf } from '../support/definitions.js';
import { holdTasks } from '../support/held-tasks.js';
import {
  expectKept,
  fill,
  idsOf,
  ofWorkspace,
  pagesOf,
  type Query,
  service,
  tasks,
  uniqueId,
} from './lists.js';

const index = 'index: true';
const plain = (workspace: string): string =>
  workflowOf([uniqueId, 'name: Amount, type: number', 'name: Title, type: text'], workspace);
const indexed = (workspace: string): string =>
  plain(workspace).replace('type: number', `$&, ${index}`).replace('type: text', `$&, ${index}`);

describe('4.1 fields with `index: true`', () => {
  it('the index holds each task once, by its current value, whatever changes the task or the field', async () => {
    const api = await service.clientOf(indexed('kept'));
    for (const ID of ['a', 'b', 'c']) await api.post(tasks, { ID, Amount: 1, Title: ID }).expect(201);
    await api.put(tasks, { ID: 'a', Amount: -0.5 }).expect(200);
    await api.put(tasks, { ID: 'b', Title: null }).expect(200);
    const changed = { ID: 'c', Amount: 12 };
    await sendBatch(service, 'kept', tasks, [changed, { ID: 'd', Title: 'x'.repeat(300) }]);
    await api.delete(`${tasks}/a`).expect(204);
    expect(await idsOf(api, { _sort: '-Amount' })).toEqual(['c', 'b', 'd']);
    await expectKept('kept', 2);
    for (const [yaml, count] of [
      [indexed('kept'), 2],
      [plain('kept'), 0],
      [indexed('kept'), 2],
    ] as const) {
      await service.apply(yaml.replace('type: number', 'type: text'));
      await expectKept('kept', count);
    }
  });

  it('the index is filled while others write, like the index of words', async () => {
    const api = await service.clientOf(plain('busy'));
    await fill('busy', 1500, { Amount: 'n', Title: "'t' || n" });
    const both = indexed('busy').replace('name: Things', '$&\n    search: true');
    // Whoever comes second shares the work.
    const applied = Promise.all([service.apply(both), service.apply(both)]);
    const writing = Array.from({ length: 10 }, async (_, at) => {
      await api.put(tasks, { ID: `n${at * 100 + 1}`, Amount: -at }).expect(200);
      await api.post(tasks, { ID: `late${at}`, Amount: at / 100 }).expect(201);
      await api.delete(`${tasks}/n${at * 100 + 2}`).expect(204);
    });
    await Promise.all([applied, ...writing]);
    await expectKept('busy', 3);
  });

  it('lists are the same without an index, and while an apply or a worker fills a broken-off index', async () => {
    const api = await service.clientOf(plain('many'));
    await fill('many', 6000, {
      Amount: 'CASE WHEN n % 10 > 0 THEN n * 7919 % 90 END',
      Title: "'t' || n * 7919 % 6000",
    });
    const queries: Query[] = [
      { _sort: 'Amount' },
      { _sort: '-Title' },
      { _sort: 'Title', Title: ['t1', 't20', 't300'] },
      { _sort: '-Amount', 'Title[contains]': '99' },
      { _sort: '-Amount', 'Amount[gt]': '80' },
      { _sort: '-_created', 'Title[gte]': 't599' },
    ];
    const expected = new Map<Query, unknown>();
    for (const query of queries) expected.set(query, await idsOf(api, { ...query, _fields: 'ID' }));
    const expectSame = async (): Promise<void> => {
      for (const [query, ids] of expected)
        expect((await pagesOf(api, { ...query, _fields: 'ID', _limit: '1000' })).flat()).toEqual(ids);
    };

    const release = await holdTasks(service.dataSource, 'many', 'n4000');
    const broken = service.apply(indexed('many')).catch((error: unknown) => String(error));
    await blocked(service.dataSource, 1, '%INSERT INTO task_sort_keys%');
    await service.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO task_sort_keys%'`,
    );
    expect(await broken).toMatch('terminat');
    const [half] = await service.dataSource.query<{ is_filled: boolean; filled_to: string }[]>(
      `SELECT is_filled, filled_to FROM field_indexes WHERE ${ofWorkspace}`,
      ['many'],
    );
    expect([half?.is_filled, Number(half?.filled_to) > 0]).toEqual([false, true]);
    await expectSame();
    await release();
    await service.apply(indexed('many'));
    await expectKept('many', 2);
    await expectSame();

    for (const statement of [
      'DELETE FROM task_sort_keys WHERE task_id % 3 = 0 AND',
      'UPDATE field_indexes SET is_filled = false, filled_to = 0 WHERE',
    ])
      await service.dataSource.query(`${statement} ${ofWorkspace}`, ['many']);
    await service.settle();
    await expectKept('many', 2);
  });

  it('a list says so if no index has its order or its range', async () => {
    const api = await service.clientOf(indexed('timed').replace(`text, ${index}`, 'text'));
    const unsorted = 'sort;desc="no index"';
    const unfiltered = 'filter;desc="no index"';
    for (const [query, said] of [
      ['Title', unsorted],
      ['Amount,Title', unsorted],
      ['-Stage', unsorted],
      ['Title&Title[gt]=t', `${unsorted}, ${unfiltered}`],
      ['Amount&Title[lte]=t', unfiltered],
      ['Amount&Amount[gt]=1&Title[contains]=t&_created[lt]=2030-01-01T00:00:00Z', undefined],
      ['Amount', undefined],
      ['-Amount', undefined],
      ['_created', undefined],
      ['-_updated', undefined],
    ] as const) {
      const { headers } = await api.get(`${tasks}?_limit=1&_sort=${query}`).expect(200);
      expect([query, headers['server-timing']]).toEqual([query, said]);
    }
  });

  it('an eleventh field is refused', async () => {
    const eleven = Array.from({ length: 11 }, (_, n) => `name: F${n}, type: date, ${index}`);
    const refused = service.apply(workflowOf(eleven, 'refused'));
    await expect(refused).rejects.toThrow('is already set on 10 other fields');
    await service.apply(workflowOf(eleven.slice(1), 'refused'));
  });
});
