import { sweepBlobs } from '../../src/attachments/sweep-blobs.js';
import {
  deleteWorkspace,
  resetWorkspace,
  aboutTasks,
  aboutWorkflows,
} from '../../src/cli/erase-workspace.js';
import { workspaceCommands } from '../../src/cli/workspace.commands.js';
import { WorkspaceEntity } from '../../src/entities/workspace.entity.js';
import { inline, storedFiles } from '../support/attachments.js';
import { type Ended, wts } from '../support/command-line.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until, within } from '../support/until.js';

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

interface Writers {
  /** Waits for so many more answers. */
  readonly haveWritten: (more: number) => Promise<void>;
  /** Waits until so many answers in a row have this status. */
  readonly haveSeen: (status: number, count: number) => Promise<void>;
  readonly stop: () => Promise<number[]>;
}

describe('what is deleted of a workspace', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startService({ WTS_BLOB_GRACE_MS: '86400000' });
    for (const workspace of ['acme', 'other']) {
      await service.apply(definition(workspace));
      await fill(await client(workspace), 'a');
    }
    // What an execution changes makes events.
    const pending = `SELECT FROM executions WHERE status = 'Pending'`;
    await until('executions have ended', async () => (await service.dataSource.query<unknown[]>(pending)).length === 0); // prettier-ignore
  });
  afterEach(() => service.stop());

  const client = async (workspace: string): Promise<Client> => service.client(await service.key(workspace));
  const erase = (work: typeof resetWorkspace, slug: string): ReturnType<typeof resetWorkspace> =>
    work(service.dataSource.manager, slug, () => undefined);

  /** One thing of each kind; `name` tells them from others. */
  async function fill(api: Client, name: string): Promise<number[]> {
    const key = (): Record<string, string> => ({ 'Idempotency-Key': `${name}-${Math.random()}` });
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

  /** Rows of a workspace by table; blobs that no task names count for nothing. */
  async function rowsOf(slug: string): Promise<Record<string, number>> {
    const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug });
    return rowsOfId(id);
  }

  async function rowsOfId(id: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of await tables()) {
      const named = table === 'blobs' ? 'AND task_id IS NOT NULL' : '';
      const [row] = await service.dataSource.query<{ count: string }[]>(
        `SELECT count(*) FROM ${table} WHERE workspace_id = $1 ${named}`,
        [id],
      );
      counts[table] = Number(row?.count);
    }
    return counts;
  }

  /** Followers give events their positions, and write for whom they concern, whenever they come to it. */
  function withoutPositions(rows: Record<string, number | undefined>): object {
    const others = ['event_chunks', 'event_streams', 'notifications', 'watchers'];
    return Object.fromEntries(Object.entries(rows).filter(([table]) => !others.includes(table)));
  }

  async function tables(): Promise<string[]> {
    const rows = await service.dataSource.query<{ name: string }[]>(`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'workspace_id'`);
    return rows.map(({ name }) => name).sort();
  }

  it('every table that holds rows of a workspace is thought of', async () => {
    expect([...aboutTasks, 'tasks', 'blobs', ...aboutWorkflows].sort()).toEqual(await tables());
  });

  it('reset deletes tasks and all that is about them, and keeps definition and keys', async () => {
    const [before, other] = [await rowsOf('acme'), await rowsOf('other')];
    const deleted = await erase(resetWorkspace, 'acme');
    expect(Object.fromEntries(deleted)).toEqual({
      webhook_deliveries: 0,
      runs: 0,
      timers: 0,
      approvals: 0,
      approval_rounds: 0,
      task_editors: 0,
      received_hooks: 0,
      mail_windows: 0,
      notifications: 0,
      watchers: 0,
      clocks: 0,
      messages: 0,
      executions: 1,
      idempotency_keys: 2,
      comments: 1,
      checklist_items: 2,
      links: 1,
      unique_id_counters: 1,
      files: 1,
      tasks: 2,
    });
    const gone = Object.fromEntries([...aboutTasks, 'tasks', 'blobs'].map((table) => [table, 0]));
    // Who follows the events hears of each task that it is gone.
    const events = (before['events'] ?? 0) + (before['tasks'] ?? 0);
    const left = { ...before, ...gone, events, api_keys: before['api_keys'] };
    expect(withoutPositions(await rowsOf('acme'))).toEqual(withoutPositions(left));
    expect(withoutPositions(await rowsOf('other'))).toEqual(withoutPositions(other));
    // As on the first day, numbers too.
    const api = await client('acme');
    expect((await api.get(`${things}/tasks`)).text).toBe('[]');
    expect((await api.post(parts, {}).expect(201)).body).toMatchObject({ Number: '1' });
    expect(await fill(api, 'a')).toEqual([201, 201, 201, 202, 204, 204]);
  });

  it('delete leaves nothing but bytes for the sweep, which finds them', async () => {
    const api = await client('acme');
    await api.get(`${things}/tasks`).expect(200);
    const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const other = await rowsOf('other');
    const deleted = await erase(deleteWorkspace, 'acme');
    expect(Object.fromEntries(deleted)).toMatchObject({
      tasks: 2,
      files: 1,
      workflows: 2,
      users: 1,
      api_keys: 2,
    });
    expect(Object.values(await rowsOfId(id)).filter((rows) => rows > 0)).toEqual([]);
    expect(withoutPositions(await rowsOf('other'))).toEqual(withoutPositions(other));
    await within(5000, async () => (await api.get(`${things}/tasks`)).status === 401);
    expect(await storedFiles(service.config.blobStore)).toHaveLength(2);
    await service.dataSource.query(
      `UPDATE blobs SET unnamed_at = now() - interval '2 days' WHERE unnamed_at IS NOT NULL`,
    );
    expect(await sweepBlobs(service.dataSource.manager, service.blobs, 86_400_000)).toBe(1);
    expect(await storedFiles(service.config.blobStore)).toHaveLength(1);
    await service.apply(definition('acme'));
    expect((await (await client('acme')).get(`${things}/tasks`)).text).toBe('[]');
  });

  it('while others write, a reset leaves nothing behind and nobody sees a 5xx', async () => {
    const writers = await startWriters(8);
    for (let round = 0; round < 5; round += 1) {
      await writers.haveWritten(30);
      await erase(resetWorkspace, 'acme');
    }
    const statuses = await writers.stop();
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(20);
    await erase(resetWorkspace, 'acme');
    const rows = await rowsOf('acme');
    expect([...aboutTasks, 'tasks', 'blobs'].map((table) => [table, rows[table]])).toEqual(
      [...aboutTasks, 'tasks', 'blobs'].map((table) => [table, 0]),
    );
  });

  it('while others write, a delete leaves nothing behind and nobody sees a 5xx', async () => {
    const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const writers = await startWriters(8);
    await writers.haveWritten(50);
    await erase(deleteWorkspace, 'acme');
    // Until it hears of the deletion, the service knows the key.
    await writers.haveSeen(401, 60);
    const statuses = await writers.stop();
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(statuses.at(-1)).toBe(401);
    expect(Object.values(await rowsOfId(id)).filter((rows) => rows > 0)).toEqual([]);
  });

  /** Clients that fill the workspace until they are stopped; all statuses that they were answered. */
  async function startWriters(count: number): Promise<Writers> {
    const statuses: number[] = [];
    const state = { isOver: false };
    const api = await client('acme');
    const write = async (writer: number): Promise<void> => {
      for (let round = 0; !state.isOver; round += 1)
        statuses.push(...(await fill(api, `${writer}-${round}`)));
    };
    const writing = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
    const stop = async (): Promise<number[]> => {
      state.isOver = true;
      await writing;
      return statuses;
    };
    const haveWritten = async (more: number): Promise<void> => {
      const goal = statuses.length + more;
      while (statuses.length < goal) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    const haveSeen = (status: number, count: number): Promise<void> =>
      until(`${count} times ${status}`, () => {
        const last = statuses.slice(-count);
        return last.length === count && last.every((one) => one === status);
      });
    return { haveWritten, haveSeen, stop };
  }

  it('of those who delete, reset and apply at once each finds the whole or nothing', async () => {
    const results = await Promise.allSettled([
      erase(deleteWorkspace, 'acme'),
      erase(deleteWorkspace, 'acme'),
      erase(resetWorkspace, 'acme'),
      service.apply(definition('acme').replace('name: Acme', 'name: New')),
      service.key('acme'),
    ]);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    expect(
      reasons.filter(
        (reason) => !/There is no workspace "acme"|Could not find any entity|api_keys_workspace/.test(reason),
      ),
    ).toEqual([]);
    await service.apply(definition('acme'));
    expect(await rowsOf('acme')).toMatchObject({ workflows: 2, users: 1 });
  });

  it('asks first: where nobody can answer, --yes has to say so', async () => {
    const run = (...args: string[]): Promise<Ended> =>
      wts(workspaceCommands(), args, service.config.databaseUrl ?? '');
    const what = '2 tasks, 1 execution, 1 comment, 2 checklist items, 1 link, 1 file';
    expect(await run('reset', 'acme')).toEqual({
      code: 1,
      out: '',
      err: `This deletes ${what} of the workspace acme for good. There is no terminal to confirm it: use --yes to do it.\n`,
    });
    expect(await rowsOf('acme')).toMatchObject({ tasks: 2 });
    expect(await run('reset', 'acme', '--yes')).toEqual({
      code: 0,
      out: `reset workspace acme: ${what} deleted\n`,
      err: '',
    });
    expect(await run('delete', 'acme', '--yes')).toEqual({
      code: 0,
      out: 'deleted workspace acme: 0 tasks, 2 workflows, 1 user, 1 key deleted\n',
      err: '',
    });
    expect(await run('delete', 'acme', '--yes')).toEqual({
      code: 1,
      out: '',
      err: 'There is no workspace "acme". See: wts workspace list\n',
    });
  });
});
