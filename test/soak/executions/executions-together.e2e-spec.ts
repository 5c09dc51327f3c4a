import { startOtherProcess, type OtherProcess } from '../../support/other-process.js';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.js';
import { startService, type TestService } from '../../support/service.js';
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
const rounds = [0, 1, 2, 3];

(hasRedis() || process.env['CI'] ? describe : describe.skip)(
  'executions at the same time travel together',
  () => {
    let service: TestService;
    let redis: TestRedis;
    let worker: OtherProcess;
    let workspaces = 0;

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

    interface Setting {
      readonly workspace: string;
      readonly keys: readonly string[];
    }

    async function open(): Promise<Setting> {
      const workspace = `w${(workspaces += 1)}`;
      await service.apply(definition(workspace));
      const keys = [await service.key(workspace), await service.key(workspace)];
      await Promise.all(
        clients.map((at) =>
          asked(keys, at)
            .post('tasks', { ID: `t${at}`, Note: 'x' })
            .expect(201),
        ),
      );
      return { workspace, keys };
    }

    function asked(keys: readonly string[], at: number) {
      const api = service.client(keys[at % 2] ?? '');
      const path = (rest: string): string => `/api/v1/workflows/${at % 3 === 0 ? 'orders' : 'cases'}/${rest}`;
      return {
        post: (rest: string, body: object) => api.post(path(rest), body),
        get: (rest: string) => api.get(path(rest)),
      };
    }

    interface Answered {
      readonly status: number;
      readonly body: object;
      readonly event: string | undefined;
    }

    async function begin(keys: readonly string[], at: number, round: number): Promise<Answered> {
      const action_id = actions[(at + round * 3) % actions.length];
      const { status, body, headers } = await asked(keys, at)
        .post('executions', {
          task_id: `t${at}`,
          action_id,
          ...(at % 5 === 0 && { performed_by: 'mina@acme.test' }),
        })
        .set('Prefer', 'wait=25')
        .set('X-Request-Id', `${at}-${round}`);
      const { id: _id, request_id: _request, ...rest } = body as Record<string, unknown>;
      return { status, body: rest, event: (headers as { 'event-id'?: string })['event-id'] };
    }

    /** All clients begin their executions at the same time, or one after the other; what came of it. */
    async function play(isTogether: boolean): Promise<unknown> {
      const { workspace, keys } = await open();
      const answers: Answered[] = [];
      for (const round of rounds)
        if (isTogether) answers.push(...(await Promise.all(clients.map((at) => begin(keys, at, round)))));
        else for (const at of clients) answers.push(await begin(keys, at, round));
      const told: unknown[] = [];
      for (const { event, ...answer } of answers)
        told.push({ ...answer, event: event && (await toldBy(event)) });
      return { told, ...(await storedIn(workspace)) };
    }

    /** What the event that an answer names is about, and which request made it. */
    async function toldBy(event: string): Promise<unknown> {
      return service.dataSource.query(
        `SELECT type, unique_value, origin::json ->> 'request' AS request, about ->> 'action' AS action
       FROM events WHERE replace(id::text, '-', '') = $1`,
        [event.slice(4)],
      );
    }

    async function storedIn(workspace: string): Promise<object> {
      const rows = (text: string): Promise<unknown> => service.dataSource.query(text, [workspace]);
      const tasks = await rows(`
      SELECT w.slug AS workflow, t.unique_value, t.version, s.name AS stage,
        (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(t.field_values)) AS values
      FROM tasks t JOIN workspaces o ON o.id = t.workspace_id
      JOIN workflows w ON w.workspace_id = o.id AND w.id = t.workflow_id
      JOIN stages s ON s.workspace_id = o.id AND s.id = t.stage_id
      WHERE o.slug = $1 ORDER BY t.unique_value`);
      const events = await rows(`
      SELECT e.unique_value, e.type, e.version - first.version AS version, e.stage_from IS NULL AS stays,
        e.origin::jsonb - 'key' - 'execution' - 'user' AS origin, e.origin::jsonb ? 'key' AS by_key,
        e.origin::jsonb ? 'execution' AS by_execution, e.origin::jsonb ? 'user' AS by_user,
        (SELECT array_agg(value::text) FROM jsonb_each(e.values_to)) AS values,
        e.about - 'id' - 'performer' AS about, e.about ->> 'performer' IS NOT NULL AS performed
      FROM events e JOIN workspaces o ON o.id = e.workspace_id
      JOIN events first ON first.workspace_id = o.id AND first.task_id = e.task_id AND first.type = 'task.created'
      WHERE o.slug = $1 AND e.type NOT LIKE '%.created' ORDER BY e.unique_value, e.place`);
      const executions = await rows(`
      SELECT t.unique_value, e.action_id, e.status, e.errors, e.outcomes, e.claims, e.performer_id IS NULL AS by_key,
        e.started_at >= e.created_at AND e.finished_at >= e.started_at AS in_order
      FROM executions e JOIN workspaces o ON o.id = e.workspace_id
      JOIN tasks t ON t.workspace_id = o.id AND t.id = e.task_id
      WHERE o.slug = $1 ORDER BY t.unique_value, e.place`);
      return { tasks, events, executions };
    }

    it('and give the same answers, tasks and events as one after the other', async () => {
      expect(await play(true)).toEqual(await play(false));
    });

    it('many of one task run in the order of their POSTs, each once', async () => {
      const { workspace, keys } = await open();
      const answers = await Promise.all(
        clients.map(() =>
          asked(keys, 1).post('executions', { task_id: 't1', action_id: 'count' }).set('Prefer', 'wait=25'),
        ),
      );
      const statuses = await Promise.all(answers.map(({ body }) => endOf(keys, 1, body)));
      expect(new Set(statuses)).toEqual(new Set(['Success']));
      const runs = await service.dataSource.query<object[]>(
        `SELECT count(*)::integer, bool_and(after) AS "inOrder" FROM (
         SELECT e.started_at >= lag(e.finished_at) OVER (ORDER BY e.place) AS after
         FROM executions e JOIN workspaces o ON o.id = e.workspace_id WHERE o.slug = $1
       ) e`,
        [workspace],
      );
      expect(runs).toEqual([{ count: clients.length, inOrder: true }]);
      const { body } = await asked(keys, 1).get('tasks/t1').expect(200);
      expect(body).toMatchObject({ Count: String(clients.length) });
    });

    /** The status of an execution that was begun with `Prefer: wait`, as soon as it has ended. */
    async function endOf(keys: readonly string[], at: number, begun: unknown): Promise<string> {
      let execution = begun as { readonly id: string; readonly status: string };
      await until('its end', async () => {
        if (execution.status === 'Pending')
          execution = (
            await asked(keys, at).get(`executions/${execution.id}`).set('Prefer', 'wait=25').expect(200)
          ).body as typeof execution;
        return execution.status !== 'Pending';
      });
      return execution.status;
    }
  },
);
