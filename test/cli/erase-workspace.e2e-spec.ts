import { randomUUID } from 'node:crypto';
import { deleteWorkspace, erasedTables, workspaceCommands } from '../../src/cli/workspace.commands.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { inline, storedFiles } from '../support/attachments.js';
import { type Ended, wts } from '../support/command-line.js';
import { type Client, startServiceWith } from '../support/service.js';
import { told } from '../support/told.js';

const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Docs, type: file }
    checklist: [{ title: Look, stage: New }]
    roles: [{ id: agent, name: Agent, actions: [finish] }]
    members: [{ email: mina@acme.test, role: agent }]
    actions: [{ id: finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: Number, type: uniqueId, autoincrement: true }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
`;
const things = '/api/v1/workflows/things';
const parts = '/api/v1/workflows/parts/tasks';

const { service } = await startServiceWith([]);

describe('the deletion of a workspace', () => {
  // Each test has two workspaces of its own.
  let acme: string;
  let other: string;
  let made = 0;

  beforeEach(async () => {
    made += 1;
    [acme, other] = [`acme-${made}`, `other-${made}`];
    for (const workspace of [acme, other]) {
      await service.apply(definition(workspace));
      await fill(await client(workspace), 'a');
    }
    // What an execution changes makes events.
    await service.settle();
  });

  const client = async (workspace: string): Promise<Client> => service.client(await service.key(workspace));
  const erase = (slug: string): Promise<number> => deleteWorkspace(service.dataSource.manager, slug);

  /** One thing of each kind; `name` tells them from others. */
  async function fill(api: Client, name: string): Promise<number[]> {
    const key = (): Record<string, string> => ({ 'Idempotency-Key': randomUUID() });
    const { body } = await api.post(parts, {}).set(key());
    const number = (body as { Number?: string }).Number ?? '0';
    const task = { ID: name, Docs: [inline('a.txt')], Parts: [{ Number: number }] };
    return [
      (await api.post(`${things}/tasks`, task)).status,
      (await api.post(`${things}/tasks/${name}/comments`, { body: 'Well' })).status,
      (await api.post(`${things}/tasks/${name}/checklist_items`, { title: 'x', Stage: 'New' })).status,
      (await api.post(`${things}/executions`, { task_id: name, action_id: 'finish' }).set(key())).status,
      (await api.delete(`${things}/tasks/${name}/links/Parts/${number}`)).status,
      (await api.put(`${things}/tasks/${name}/links/Parts/${number}`)).status,
    ];
  }

  const idOf = async (slug: string): Promise<number> =>
    (await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug })).id;

  /** Rows of a workspace by table; blobs that no task names count for nothing. */
  async function rowsOf(workspace: string | number): Promise<Record<string, number>> {
    const id = typeof workspace === 'number' ? workspace : await idOf(workspace);
    const counts = (await tables()).map(
      (table) => `SELECT '${table}' AS name, count(*)::integer FROM ${table}
        WHERE workspace_id = $1 ${table === 'blobs' ? 'AND task_id IS NOT NULL' : ''}`,
    );
    const query = counts.join(' UNION ALL ');
    const rows = await service.dataSource.query<{ name: string; count: number }[]>(query, [id]);
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  }

  async function tables(): Promise<string[]> {
    const rows = await service.dataSource.query<{ name: string }[]>(`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'workspace_id'`);
    return rows.map(({ name }) => name).sort();
  }

  it('considers every table that holds rows of a workspace', async () => {
    expect([...(await erasedTables(service.dataSource.manager)), 'blobs'].sort()).toEqual(await tables());
  });

  it('leaves only bytes, which the sweep finds', async () => {
    const api = await client(acme);
    await api.get(`${things}/tasks`).expect(200);
    const id = await idOf(acme);
    const others = await rowsOf(other);
    expect(await erase(acme)).toBe(2);
    expect(Object.values(await rowsOf(id)).filter((rows) => rows > 0)).toEqual([]);
    expect(await rowsOf(other)).toEqual(others);
    await told(service);
    await api.get(`${things}/tasks`).expect(401);
    const before = await storedFiles(service.config.blobStore);
    await service.settle({ after: 2 * 86_400_000 });
    const named = await service.dataSource.query<object[]>('SELECT FROM blobs WHERE task_id IS NOT NULL');
    const after = await storedFiles(service.config.blobStore);
    expect(after).toHaveLength(named.length);
    expect(before.length).toBeGreaterThan(after.length);
    await service.apply(definition(acme));
    expect((await (await client(acme)).get(`${things}/tasks`)).text).toBe('[]');
  });

  it('leaves nothing while others write, and nobody gets a 5xx', async () => {
    const id = await idOf(acme);
    const api = await client(acme);
    const writes = [1, 2, 3, 4, 5, 6].map((writer) => fill(api, `${writer}`));
    // The work begins among the writes.
    await Promise.race(writes);
    const [statuses] = await Promise.all([Promise.all(writes), erase(acme)]);
    expect(statuses.flat().filter((status) => status >= 500)).toEqual([]);
    expect(Object.values(await rowsOf(id)).filter((rows) => rows > 0)).toEqual([]);
  });

  it('beside an apply finds the whole workspace or nothing, and so does the apply', async () => {
    const results = await Promise.allSettled([
      erase(acme),
      erase(acme),
      service.apply(definition(acme).replace('name: Acme', 'name: New')),
      service.key(acme),
    ]);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    const expected = /There is no workspace|Could not find any entity|api_keys_workspace/;
    expect(reasons.filter((reason) => !expected.test(reason))).toEqual([]);
    await service.apply(definition(acme));
    expect(await rowsOf(acme)).toMatchObject({ workflows: 2, users: 1 });
  });

  it('asks first, and needs --yes if nobody can answer', async () => {
    const run = (...args: string[]): Promise<Ended> =>
      wts(workspaceCommands(), args, service.config.databaseUrl ?? '');
    const err = `This deletes the workspace ${acme} with all tasks for good. There is no terminal to confirm it: use --yes to do it.\n`;
    expect(await run('delete', acme)).toEqual({ code: 1, out: '', err });
    expect(await rowsOf(acme)).toMatchObject({ tasks: 2 });
    expect((await run('delete', acme, '--yes')).out).toBe(`deleted workspace ${acme}: 2 tasks deleted\n`);
    expect((await run('delete', acme, '--yes')).err).toContain(`There is no workspace "${acme}"`);
  });
});
