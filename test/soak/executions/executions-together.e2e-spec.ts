import { startOtherProcess, type OtherProcess } from '../../support/other-process.js';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Together }
users: [{ email: mina@acme.test }]
workflows:${['cases', 'orders']
  .map(
    (id) => `
  - id: ${id}
    name: ${id}
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Count, type: number, default: 0 }
      - { name: Note, type: text }
    actions:
      - { id: move, name: Move, stages: [New], steps: [{ name: Move, type: move_to_stage, stage: Busy }] }
      - id: count
        name: Count
        steps: [{ name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }]
      - { id: stay, name: Stay, steps: [{ name: Stay, type: update_fields, set: { Note: same } }] }
      - id: noted
        name: Noted
        requirements: { required_fields: [Note] }
        steps: [{ name: Close, type: move_to_stage, stage: Done }]
      - id: break
        name: Break
        steps:
          - { name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }
          - { name: Break, type: update_fields, set: { Count: { expression: '1 / (task["Count"] - task["Count"])' } } }
      - { id: list, name: List, steps: [{ name: List, type: add_checklist_items, items: [{ title: Look, stage: New }] }] }`,
  )
  .join('')}
`;
const actions = ['move', 'count', 'stay', 'noted', 'break', 'list', 'nothing'];
const clients = Array.from({ length: 28 }, (_, at) => at);
const withRedis = hasRedis() || process.env['CI'] ? describe : describe.skip;

// Rule: executions that come at the same time are answered and stored as if one came after the other.
withRedis('executions at the same time, by an api and a worker', () => {
  let service: TestService;
  let redis: TestRedis;
  let worker: OtherProcess;

  beforeAll(async () => {
    redis = await startRedis();
    const shared = { WTS_RATE_LIMIT: '100000', REDIS_URL: redis.url };
    service = await startService({ ...shared, WTS_ROLE: 'api' });
    const place = { ...shared, WTS_ROLE: 'worker', WTS_BLOB_STORE: service.config.blobStore ?? '' };
    worker = await startOtherProcess(service.config.databaseUrl ?? '', place);
  });
  afterAll(async () => {
    await worker.kill();
    await service.stop();
    await redis.stop();
  });

  /** Two clients of a new workspace, in which each of the many has a task. */
  async function open(workspace: string): Promise<readonly Client[]> {
    await service.apply(definition(workspace));
    const apis = [service.client(await service.key(workspace)), service.client(await service.key(workspace))];
    for (const at of clients)
      await apis[0]?.post(pathOf(at, 'tasks'), { ID: `t${at}`, Note: 'x' }).expect(201);
    return apis;
  }

  const pathOf = (at: number, rest: string): string =>
    `/api/v1/workflows/${at % 3 === 0 ? 'orders' : 'cases'}/${rest}`;

  /** Begins an execution, and gives its end. */
  async function perform(apis: readonly Client[], at: number, action_id = ''): Promise<object> {
    const api = apis[at % 2] as Client;
    let answer = await api
      .post(pathOf(at, 'executions'), { task_id: `t${at}`, action_id })
      .set('Prefer', 'wait=25');
    await until('its end', async () => {
      const { id = '', status } = answer.body as { readonly id?: string; readonly status: string };
      if (status === 'Pending')
        answer = await api.get(pathOf(at, `executions/${id}`)).set('Prefer', 'wait=25');
      return status !== 'Pending';
    });
    const { id: _id, request_id: _request, ...rest } = answer.body as Record<string, unknown>;
    return rest;
  }

  /** All clients begin their executions at the same time, or one after the other; what came of it. */
  async function play(workspace: string, isTogether: boolean): Promise<unknown> {
    const apis = await open(workspace);
    const answers: object[] = [];
    for (const round of [0, 1, 2, 3]) {
      const begin = (at: number): Promise<object> =>
        perform(apis, at, actions[(at + round * 3) % actions.length]);
      if (isTogether) answers.push(...(await Promise.all(clients.map(begin))));
      else for (const at of clients) answers.push(await begin(at));
    }
    const rows = (text: string): Promise<unknown> => service.dataSource.query(text, [workspace]);
    const tasks = await rows(`
      SELECT w.slug AS workflow, t.unique_value, t.version, s.name AS stage,
        (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(t.field_values)) AS values
      FROM tasks t JOIN workspaces o ON o.id = t.workspace_id
      JOIN workflows w ON w.workspace_id = o.id AND w.id = t.workflow_id
      JOIN stages s ON s.workspace_id = o.id AND s.id = t.stage_id
      WHERE o.slug = $1 ORDER BY t.unique_value`);
    const executions = await rows(`
      SELECT t.unique_value, e.action_id, e.status, e.errors, e.outcomes
      FROM executions e JOIN workspaces o ON o.id = e.workspace_id
      JOIN tasks t ON t.workspace_id = o.id AND t.id = e.task_id
      WHERE o.slug = $1 ORDER BY t.unique_value, e.place`);
    return { answers, tasks, executions };
  }

  it('give the same answers, tasks and executions as one after the other', async () => {
    expect(await play('together', true)).toEqual(await play('apart', false));
  });

  it('of one task run in the order of their POSTs, each once', async () => {
    const apis = await open('queue');
    const ends = await Promise.all(clients.map(() => perform(apis, 1, 'count')));
    expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(['{"status":"Success"}']));
    const runs = `
      SELECT count(*)::integer, bool_and(after) AS "inOrder" FROM (
        SELECT e.started_at >= lag(e.finished_at) OVER (ORDER BY e.place) AS after
        FROM executions e JOIN workspaces o ON o.id = e.workspace_id WHERE o.slug = 'queue'
      ) e`;
    expect(await service.dataSource.query(runs)).toEqual([{ count: clients.length, inOrder: true }]);
    const { body } = await (apis[0] as Client).get(pathOf(1, 'tasks/t1')).expect(200);
    expect(body).toMatchObject({ Count: String(clients.length) });
  });
});
