import { type Response } from 'supertest';
import { blocked } from '../support/blocked.js';
import { workflowOf } from '../support/definitions.js';
import { holdBy, holdTasks } from '../support/held-tasks.js';
import { whileOutdated } from '../support/outdated.js';
import { type Client, countVersionsFromOne, startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const id = 'name: ID, type: uniqueId, required: true';
const each = Array.from({ length: 10 }, (_, n) => n);

const { service } = await startServiceWith([]);
await countVersionsFromOne(service);
const api = await service.clientOf(workflowOf([id, ...each.map((n) => `name: F${n}, type: text`)]));
await api.post(tasks, { ID: 'model' }).expect(201);

describe('simultaneous requests are answered as if one came after the other', () => {
  const make = async (ID: string): Promise<void> => {
    await api.post(tasks, { ID }).expect(201);
  };
  const hold = (...ids: string[]): Promise<() => Promise<void>> =>
    holdTasks(service.dataSource, 'acme', ...ids);
  const statusesOf = (answers: readonly Response[]): number[] => answers.map(({ status }) => status);

  /** Sends requests that wait for a lock, and lets them go when so many statements wait. */
  async function behind(
    release: () => Promise<void>,
    requests: readonly PromiseLike<Response>[],
    waiting = requests.length,
  ): Promise<Response[]> {
    const answers = Promise.all(requests);
    await blocked(service.dataSource, waiting);
    await release();
    return answers;
  }

  it('two upserts of one new id create one task with the fields of both', async () => {
    const takenBack = await holdBy(
      service.dataSource,
      `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
       SELECT workspace_id, workflow_id, 'new', 'new', stage_id, is_active, field_values
       FROM tasks WHERE unique_value = 'model'`,
    );
    const upserts = [0, 1].map((n) => api.post(tasks, { ID: 'new', [`F${n}`]: 'x' }));
    expect(statusesOf(await behind(takenBack, upserts)).sort()).toEqual([200, 201]);
    expect((await api.get(`${tasks}?ID=new`)).body).toMatchObject([{ F0: 'x', F1: 'x' }]);
  });

  it('partial updates of one task lose nothing, and each makes one version', async () => {
    await make('shared');
    const updates = each.map((n) => api.put(tasks, { ID: 'shared', [`F${n}`]: 'x' }));
    const answers = await behind(await hold('shared'), updates, 2);
    expect(statusesOf(answers)).toEqual(each.map(() => 200));
    const { body, headers } = await api.get(`${tasks}/shared`).expect(200);
    expect(body).toMatchObject(Object.fromEntries(each.map((n) => [`F${n}`, 'x'])));
    expect(headers['etag']).toMatch(/^"11-/);
  });

  it('a DELETE and an update of one task happen in some order', async () => {
    await make('going');
    const requests = [api.delete(`${tasks}/going`), api.put(tasks, { ID: 'going', F0: 'x' })];
    const [deleted, updated] = statusesOf(await behind(await hold('going'), requests));
    expect(deleted).toBe(204);
    expect([200, 404]).toContain(updated);
    await api.get(`${tasks}/going`).expect(404);
  });

  it('creations with autoincrement take consecutive numbers', async () => {
    const counted = workflowOf(['name: ID, type: uniqueId, autoincrement: true'], 'numbered');
    const numbered = await service.clientOf(counted);
    const answers = await Promise.all(each.map(() => numbered.post(tasks, {})));
    const ids = answers.map(({ body }) => Number((body as { ID: string }).ID));
    expect(ids.sort((one, other) => one - other)).toEqual(each.map((n) => n + 1));
  });

  it('a locked task does not delay the tasks that are written with it', async () => {
    for (const ID of ['locked', 'free-1', 'free-2', 'free-3']) await make(ID);
    const release = await hold('locked');
    const locked = api.put(tasks, { ID: 'locked', F0: 'y' }).then((answer) => answer);
    await blocked(service.dataSource);
    const others = [
      api.put(tasks, { ID: 'free-1', F0: 'y' }),
      api.put(tasks, { ID: 'free-2', F0: 'y' }),
      api.put(tasks, { ID: 'free-3', Nope: 'y' }),
      api.put(tasks, { ID: 'free-3', F0: 'y' }).set('If-Match', '"9-x"'),
      api.put(tasks, { ID: 'nobody', F0: 'y' }),
      api.post(tasks, { ID: 'model', F0: 'y' }),
      api.delete(`${tasks}/free-3`),
    ];
    expect(statusesOf(await Promise.all(others))).toEqual([200, 200, 422, 412, 404, 200, 204]);
    await release();
    expect((await locked).status).toBe(200);
  });

  it('a write that the database refuses does not prevent the others', async () => {
    const texts = each.map((n) => `Text ${n}`);
    const fields = texts.map((name) => `name: ${name}, type: longText`);
    const sized = await service.clientOf(workflowOf([id, ...fields], 'size'));
    // Together more than a task may hold.
    const tooLarge = Object.fromEntries(texts.map((name) => [name, 'ü'.repeat(60_000)]));
    const answers = await Promise.all(
      each.map((n) => sized.post(tasks, { ID: `s${n}`, ...(n === 5 && tooLarge) })),
    );
    expect(statusesOf(answers)).toEqual(each.map((n) => (n === 5 ? 422 : 201)));
  });

  it('each event names its key and its request', async () => {
    const clients = [service.client(await service.key('acme')), service.client(await service.key('acme'))];
    await Promise.all(
      each.map((n) =>
        (clients[n % 2] ?? api).post(tasks, { ID: `e${n}` }).set('X-Request-Id', `request-${n}`),
      ),
    );
    const events = await service.dataSource.query<{ origin: string }[]>(
      `SELECT origin FROM events
       WHERE type = 'task.created' AND unique_value LIKE 'e_' ORDER BY unique_value`,
    );
    const origins = events.map(({ origin }) => JSON.parse(origin) as { key: string; request: string });
    expect(origins.map(({ request }) => request)).toEqual(each.map((n) => `request-${n}`));
    expect(new Set(origins.map(({ key }, n) => `${n % 2} ${key}`)).size).toBe(2);
  });

  it('reads are answered as they would be alone, each with its own condition', async () => {
    for (const ID of ['r1', 'r2', 'a"b\\c']) await make(ID);
    const ids = ['r1', 'r2', 'a"b\\c', 'none', '{}'].map(encodeURIComponent);
    const tag = String((await api.get(`${tasks}/r1`)).headers['etag']);
    const read = async (path: string): Promise<unknown[]> => {
      const { status, text, headers } = await api.get(`${tasks}/${path}`).set('If-None-Match', tag);
      return [status, text.replace(/"request_id":"[^"]*"/, ''), headers['etag']];
    };
    const alone: unknown[][] = [];
    for (const path of ids) alone.push(await read(path));
    expect(alone.map(([status]) => status)).toEqual([304, 200, 200, 404, 404]);
    const asked = [...ids, ...ids, ...ids];
    expect(await Promise.all(asked.map(read))).toEqual([...alone, ...alone, ...alone]);
  });

  it('a write whose connection breaks is 503, and has no effect', async () => {
    await make('lost');
    const release = await hold('lost');
    const write = api.put(tasks, { ID: 'lost', F0: 'x' }).then(({ status }) => status);
    await blocked(service.dataSource);
    await service.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(await write).toBe(503);
    await release();
    expect((await api.get(`${tasks}/lost`)).body).toMatchObject({ F0: null });
  });

  describe('while another definition is applied, unknown to the service', () => {
    const tiered = (options: string, name = 'Tier'): string =>
      workflowOf([id, `name: ${name}, was: Tier, type: singleSelect, options: [${options}]`, 'name: Files, type: file'], 'moving'); // prettier-ignore
    let moving: Client;

    beforeEach(async () => {
      moving = await service.clientOf(tiered('A, B'));
      await moving.put(tasks, { ID: 'old', Tier: 'B' });
      await moving.post(tasks, { ID: 'old', Tier: 'B' });
    });

    it.each<[string, () => PromiseLike<Response>]>([
      ['a creation', () => moving.post(tasks, { ID: 'new', Tier: 'A' })],
      ['an update', () => moving.put(tasks, { ID: 'old', Tier: 'A' })],
      ['an update under a condition', () => moving.put(tasks, { ID: 'old', Tier: 'A' }).set('If-Match', '*')],
    ])('%s is judged by the definition in force', async (_, write) => {
      const { status, body } = await whileOutdated(service, tiered('B'), async () => write());
      expect([status, body]).toEqual([422, { errors: { Tier: ['is not one of: B'] } }]);
      expect(await moving.read(tasks)).toMatchObject([{ ID: 'old', Tier: 'B' }]);
    });

    it('a read shows the current names', async () => {
      const { body } = await whileOutdated(service, tiered('A, B', 'Rank'), async () =>
        moving.get(`${tasks}/old`).expect(200),
      );
      expect(body).toMatchObject({ ID: 'old', Rank: 'B' });
      await service.apply(tiered('A, B').replace('was: Tier', 'was: Rank'));
    });
  });
});
