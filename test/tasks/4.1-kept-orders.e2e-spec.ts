import { workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import {
  clientOf,
  close,
  fill,
  idsOf,
  numbered,
  open,
  pagesOf,
  type Query,
  service,
  uniqueId,
} from './lists.js';

const count = 6_000;
const stages = ['New', 'Open', 'Rare', 'Done'];
const users = ['b@acme.test', 'a@acme.test', 'c@acme.test'];
const owner = (n: number): string | undefined => [...users, undefined][(n * 7) % 4];
const stage = (n: number): string => (n % 1500 === 0 ? 'Rare' : ['New', 'Open', 'Done'][n % 3]) ?? '';

describe('4.1 `Stage`, `Assigned To` and `_created` are always served by an index', () => {
  let api: Client;
  const ids = (fits: (n: number) => boolean): string[] => numbered(count, fits);
  const pages = async (query: Query): Promise<unknown[][]> => pagesOf(api, { _limit: '1000', ...query });

  beforeAll(async () => {
    await open();
    const definition = workflowOf([uniqueId], 'kept')
      .replace(/stages: \[.*\]/, `stages: [${stages.map((name) => `{ name: ${name} }`).join(', ')}]`)
      .replace(/users: \[.*\]/, `users: [${users.map((email) => `{ email: ${email} }`).join(', ')}]`);
    api = await clientOf('kept', definition);
    await fill('kept', count, {});
    // A task an hour.
    await service.dataSource.query(
      `UPDATE tasks SET created_at = timestamptz '2025-01-01T00:00:00Z' + n * interval '1 hour',
         stage_id = (SELECT id FROM stages s WHERE s.workspace_id = w.id AND s.name = CASE WHEN n % 1500 = 0 THEN 'Rare'
           ELSE (ARRAY['New', 'Open', 'Done'])[1 + n % 3] END),
         assignee_id = (SELECT id FROM users u WHERE u.workspace_id = w.id AND u.email = ($1::text[])[1 + n * 7 % 4])
       FROM (SELECT id AS task_id, substr(unique_value, 2)::integer AS n FROM tasks) numbered, workspaces w
       WHERE task_id = tasks.id AND w.id = tasks.workspace_id`,
      [users],
    );
  });
  afterAll(close);

  it('sorted by Stage: in the order of the definition, page by page', async () => {
    const byStage = stages.map((name) => ids((n) => stage(n) === name));
    expect((await pages({ _sort: 'Stage' })).flat()).toEqual(byStage.flat());
    expect((await pages({ _sort: '-Stage' })).flat()).toEqual(byStage.toReversed().flat());
  });

  it('sorted by Assigned To: by e-mail, nobody last in both directions', async () => {
    const [nobody, ...others] = [undefined, ...users.toSorted()].map((user) => ids((n) => owner(n) === user));
    expect((await pages({ _sort: 'Assigned To' })).flat()).toEqual([...others, nobody].flat());
    expect((await pages({ _sort: '-Assigned To' })).flat()).toEqual([...others.toReversed(), nobody].flat());
  });

  it('with a filter by the same key, only its tasks are looked at: no page is short', async () => {
    const found = await pages({ _sort: 'Stage', Stage: ['Done', 'Rare'], _limit: '100' });
    expect(found.slice(0, -1).every((page) => page.length === 100)).toBe(true);
    expect(found.flat()).toEqual(['Rare', 'Done'].flatMap((name) => ids((n) => stage(n) === name)));
    expect(await pages({ _sort: '-Assigned To', 'Assigned To': '' })).toHaveLength(2);
  });

  it('filtered by several stages or users, or by a range of them: no page is short', async () => {
    const of = (names: readonly string[]): string[] => ids((n) => names.includes(stage(n)));
    expect(await pages({ 'Stage[gte]': 'Rare', 'Stage[lt]': 'Done' })).toEqual([of(['Rare'])]);
    expect(await pages({ 'Stage[gt]': 'Done' })).toEqual([[]]);
    const found = await pages({ 'Stage[ne]': 'New', _sort: '-_created', _limit: '900' });
    expect(found.flat()).toEqual(of(['Open', 'Rare', 'Done']).toReversed());
    expect(found.slice(0, -1).every((page) => page.length === 900)).toBe(true);
    const later = await pages({ 'Assigned To[gt]': 'a@acme.test' });
    expect(later.flat()).toEqual(ids((n) => ['b@acme.test', 'c@acme.test'].includes(owner(n) ?? '')));
    expect(later).toHaveLength(3);
    const stages = { Stage: ['Rare', 'New'], 'Assigned To': 'b@acme.test' };
    expect((await pages(stages)).flat()).toEqual(of(['Rare', 'New']).filter((id) => owner(Number(id.slice(1))) === 'b@acme.test')); // prettier-ignore
  });

  it('a range of _created begins at its first task: no page is empty', async () => {
    const at = (n: number): string => new Date(Date.UTC(2025, 0, 1, n)).toISOString();
    const late = ids((n) => n >= 5_950);
    expect(await pages({ '_created[gte]': at(5_950), _limit: '40' })).toEqual([
      late.slice(0, 40),
      late.slice(40),
    ]);
    const early = ids((n) => n < 31).toReversed();
    expect(await pages({ '_created[lt]': at(31), _sort: '-_created', _limit: '40' })).toEqual([early]);
    const between = { '_created[gt]': at(4000), '_created[lte]': at(4003) };
    expect(await pages(between)).toEqual([['n4001', 'n4002', 'n4003']]);
    expect(await pages({ ...between, _sort: 'ID' })).toEqual([['n4001', 'n4002', 'n4003']]);
    expect(await pages({ '_created[gte]': at(20_000) })).toEqual([[]]);
    expect(await idsOf(api, { '_created[lt]': [at(3), at(2)] })).toEqual(['n1', 'n2']);
  });

  it('also where a transaction was slow: ids and times need not have quite the same order', async () => {
    await service.dataSource.query(
      `UPDATE tasks SET created_at = created_at - interval '62 minutes' WHERE unique_value = 'n3500'`,
    );
    const time = (hour: number, minute: number): string =>
      new Date(Date.UTC(2025, 0, 1, hour, minute)).toISOString();
    const found = { '_created[gte]': time(3498, 50), '_created[lte]': time(3499, 0) };
    expect(await pages(found)).toEqual([['n3499', 'n3500']]);
  });

  it('and where all were created within an hour', async () => {
    await service.dataSource.query(
      `UPDATE tasks SET created_at = timestamptz '2026-01-01T00:00:00Z' + n * interval '1 ms',
         updated_at = timestamptz '2026-01-01T00:00:00Z' + n * interval '1 ms'
       FROM (SELECT id AS task_id, substr(unique_value, 2)::integer AS n FROM tasks) numbered WHERE task_id = id`,
    );
    const late = new Date(Date.UTC(2026, 0, 1) + 5998).toISOString();
    expect(await pages({ '_created[gte]': late, _limit: '10' })).toEqual([['n5998', 'n5999', 'n6000']]);
  });
});
