import { sql } from '../../src/common/database/sql.js';
import { sendBatch } from '../support/batch.js';
import { emulateCitus } from '../support/emulated-citus.js';
import { endOf } from '../support/executions.js';
import { type Client, startService, type TestService } from '../support/service.js';

const workspace = (id: string): string => `
workspace: { id: ${id}, name: ${id} }
users: [{ email: ann@x.test, first_name: Ann, last_name: A }]
workflows:
  - id: orders
    name: Orders
    search: true
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Text, type: text, index: true }
    checklist: [{ title: Look, stage: New }]
    roles: [{ id: all, name: All, admin: true }]
    members: [{ email: ann@x.test, role: all }]
    actions:
      - { id: finish, name: Finish, steps: [{ name: End, type: move_to_stage, stage: Done }] }
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }]
relationships:
  - { id: parts-of, kind: one_to_many, from: { workflow: orders, name: Parts }, to: { workflow: parts, name: Order } }
`;

const both = ['odd', 'even'];

// Rule: on Citus each statement is run on the node of its workspace, on shards that have no rows of others.
// One PostgreSQL with two groups of shards stands for it here: of workspaces with odd numbers, and with even ones.
describe('statements that run on the node of their workspace', () => {
  let service: TestService;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    service = await startService({}, undefined, { prepared: emulateCitus });
    for (const id of both) {
      await service.apply(workspace(id));
      keys[id] = await service.key(id, 'admin');
    }
  });
  afterAll(() => service.stop());

  const api = (id: string): Client => service.client(keys[id] ?? '');
  const orders = '/api/v1/workflows/orders/tasks';
  const ids = async (id: string, query = ''): Promise<unknown[]> =>
    (await api(id).read<{ ID: unknown }[]>(`${orders}${query}`)).map(({ ID }) => ID);

  it.each(both)('tasks of "%s" are written, read, listed, found and deleted', async (id) => {
    await api(id).send(orders, { ID: 'a', Text: `of ${id}` });
    await api(id).put(orders, { ID: 'a', 'Assigned To': 'ann@x.test' }).expect(200);
    await sendBatch(service, id, orders, [{ ID: 'b', Text: 'z' }]);
    const task = { Text: `of ${id}`, 'Assigned To': 'ann@x.test' };
    expect(await api(id).read(`${orders}/a`)).toMatchObject(task);
    expect(await ids(id)).toEqual(['a', 'b']);
    expect(await ids(id, '?_sort=-Text')).toEqual(['b', 'a']);
    expect(await ids(id, `?_search=${id}`)).toEqual(['a']);
    await api(id).delete(`${orders}/b`).expect(204);
    expect(await ids(id)).toEqual(['a']);
  });

  it('links, comments and items are of one workspace', async () => {
    await api('odd').send('/api/v1/workflows/parts/tasks', { ID: 'p', Order: { ID: 'a' } });
    expect(await api('odd').read(`${orders}/a`)).toMatchObject({ Parts: [{ ID: 'p' }] });
    expect(await api('even').read(`${orders}/a`)).toMatchObject({ Parts: [] });
    const items = `${orders}/a/checklist_items`;
    const [item] = await api('odd').read<{ id: string }[]>(items);
    await api('odd').put(`${items}/${item?.id}`, { status: 'Completed' }).expect(200);
    await api('odd').post(items, { title: 'More', Stage: 'New' }).expect(201);
    expect(await api('odd').read(items)).toMatchObject([{ status: 'Completed' }, { title: 'More' }]);
    expect(await api('even').read(items)).toMatchObject([{ status: 'Blank' }]);
  });

  it('executions end in both workspaces, and events record them', async () => {
    for (const id of both) {
      const start = { task_id: 'a', action_id: 'finish', performed_by: 'ann@x.test' };
      const executions = '/api/v1/workflows/orders/executions';
      const begun = await api(id).post(executions, start).set('Prefer', 'wait=10');
      expect((await endOf(api(id), executions, begun)).body).toMatchObject({ status: 'Success' });
      const types = (await api(id).read<{ type: string }[]>('/api/v1/events')).map(({ type }) => type);
      expect(types).toEqual(expect.arrayContaining(['task.created', 'task.updated', 'execution.succeeded']));
    }
  });

  it('no id is given twice, even by two groups of shards', async () => {
    const ids = { tasks: 'id', events: 'place', workflows: 'id', stages: 'id' };
    for (const [table, id] of Object.entries(ids)) {
      const [row] = await service.dataSource.query<[{ all: number; different: number }]>(
        `SELECT count(*)::integer AS all, count(DISTINCT ${id})::integer AS different FROM ${table}`,
      );
      expect(row.all).toBeGreaterThan(1);
      expect(row.different).toBe(row.all);
    }
  });

  it('a statement without a workspace is not run, and neither is a change of a table on every node', async () => {
    const { manager } = service.dataSource;
    const text = 'SELECT count(*) FROM tasks WHERE unique_value = $1';
    await expect(sql(manager, { text }, ['a'])).rejects.toThrow(
      'a statement names neither its workspace nor a scope',
    );
    const change = { text: 'UPDATE workspaces SET name = $2 WHERE id = $1' };
    await expect(sql(manager, change, [1, 'Lost'])).rejects.toThrow('is copied to every node');
  });
});
