import { sql } from '../../src/database/sql.js';
import { emulateCitus } from '../support/emulated-citus.js';
import { describeOnOnePostgres } from '../support/on-one-postgres.js';
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
describeOnOnePostgres('statements that are brought to the node of their workspace', () => {
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
    ((await api(id).get(`${orders}${query}`).expect(200)).body as { ID: unknown }[]).map(({ ID }) => ID);

  async function batch(id: string, row: object): Promise<string> {
    const headers = { Authorization: `Bearer ${keys[id] ?? ''}`, 'Content-Type': 'application/x-ndjson' };
    const body = JSON.stringify(row);
    return (await fetch(`${service.url}${orders}/batch`, { method: 'POST', headers, body })).text();
  }

  it.each(both)('tasks of "%s" are written, read, listed, found and deleted', async (id) => {
    await api(id)
      .post(orders, { ID: 'a', Text: `of ${id}` })
      .expect(201);
    await api(id).put(orders, { ID: 'a', 'Assigned To': 'ann@x.test' }).expect(200);
    expect(await batch(id, { ID: 'b', Text: 'z' })).toContain('created');
    expect((await api(id).get(`${orders}/a`).expect(200)).body).toMatchObject({ Text: `of ${id}`, 'Assigned To': 'ann@x.test' }); // prettier-ignore
    expect(await ids(id)).toEqual(['a', 'b']);
    expect(await ids(id, '?_sort=-Text')).toEqual(['b', 'a']);
    expect(await ids(id, `?_search=${id}`)).toEqual(['a']);
    await api(id).delete(`${orders}/b`).expect(204);
    expect(await ids(id)).toEqual(['a']);
  });

  it('a statement that names no workspace is not run, nor one that changes what every node has', async () => {
    const { manager } = service.dataSource;
    const text = 'SELECT count(*) FROM tasks WHERE unique_value = $1';
    await expect(sql(manager, { text }, ['a'])).rejects.toThrow(
      'a statement names neither its workspace nor a scope',
    );
    const change = { text: 'UPDATE workspaces SET name = $2 WHERE id = $1' };
    await expect(sql(manager, change, [1, 'Lost'])).rejects.toThrow('stands on every node');
  });
});
