import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { answerWith, neverAnswer, type Receiver, startReceiver } from '../../support/receiver.js';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { patience } from '../../support/until.js';

const cases = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

// Processes take their time to start on a busy machine.
type Ended = { readonly status: string; readonly errors?: readonly string[] };

const definition = (url: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Count, type: number }]
    actions:
      - { id: move, name: Move, steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - id: call
        name: Call
        steps:
          - { name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }
          - { name: First, type: api_call, url: '${url}/{{ID}}/first', timeout_seconds: 120 }
          - { name: Second, type: api_call, url: '${url}/{{ID}}/second', timeout_seconds: 120 }
          - { name: Move, type: move_to_stage, stage: Done }
      - id: lenient
        name: Lenient
        steps:
          - { name: First, type: api_call, url: '${url}/{{ID}}/first', on_failure: continue }
          - { name: Second, type: api_call, url: '${url}/{{ID}}/second', timeout_seconds: 120 }
          - { name: Move, type: move_to_stage, stage: Done }
`;

// CI must have a Redis; without one a machine of ours tests the half that needs none.
const grounds = ['without Redis', ...(hasRedis() || process.env['CI'] ? ['with Redis'] : [])];

describe.each(grounds)('WTS_ROLE: an api and workers as processes, %s', (ground) => {
  const begun: OtherProcess[] = [];
  let redis: TestRedis | undefined;
  let receiver: Receiver;
  let service: TestService;
  let api: Client;
  let key: string;
  let place: Record<string, string>;

  beforeAll(async () => {
    receiver = await startReceiver();
    redis = ground === 'with Redis' ? await startRedis() : undefined;
    const shared = { WTS_OUTBOUND_ALLOW: '127.0.0.1/32', ...(redis && { REDIS_URL: redis.url }) };
    service = await startService({ ...shared, WTS_ROLE: 'api' });
    place = { ...shared, WTS_BLOB_STORE: service.config.blobStore ?? '' };
    await service.apply(definition(receiver.url));
    key = await service.key('acme');
    api = service.client(key);
  });
  afterEach(async () => {
    await Promise.all(begun.splice(0).map((worker) => worker.kill()));
  });
  afterAll(async () => {
    await service.stop();
    await redis?.stop();
    receiver.stop();
  });

  async function startWorker(environment: Record<string, string> = {}): Promise<OtherProcess> {
    const settings = { ...place, WTS_ROLE: 'worker', ...environment };
    const worker = await startOtherProcess(service.config.databaseUrl ?? '', settings);
    begun.push(worker);
    return worker;
  }

  /** Begins the action on a new case. */
  async function start(action_id: string, ID: string): Promise<string> {
    await api.post(cases, { ID, Count: 0 }).expect(201);
    return ((await api.post(executions, { task_id: ID, action_id }).expect(202)).body as { id: string }).id;
  }

  async function end(id: string): Promise<Ended> {
    for (const deadline = Date.now() + patience; Date.now() < deadline;) {
      const { body } = await api.get(`${executions}/${id}`).set('Prefer', 'wait=5').expect(200);
      const { status, errors } = body as Ended;
      if (status !== 'Pending') return { status, ...(errors && { errors }) };
    }
    throw new Error('still Pending');
  }

  const keysOf = (path: string): unknown[] =>
    receiver.of(path).map(({ headers }) => headers['idempotency-key']);
  const success = { status: 'Success' };
  const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

  /** What the database knows of it, as if so much time had passed. */
  async function age(id: string, set: string): Promise<void> {
    await service.dataSource.query(`UPDATE executions SET ${set} WHERE id = $1`, [id]);
  }

  it('role api never resolves, role worker does', async () => {
    const id = await start('move', 'roles');
    // Longer than a sweeper takes to find it.
    await pause(3000);
    expect((await api.get(`${executions}/${id}`)).body).toEqual({ id, status: 'Pending' });
    await startWorker();
    expect(await end(id)).toEqual(success);
    expect(await end(await start('move', 'roles-2'))).toEqual(success);
  });

  it('kill -9 in mid call: another goes on, under the same key, and makes only the calls that have no answer yet', async () => {
    receiver.answer('/killed/second', (response, _, earlier) => {
      if (earlier > 0) response.end();
    });
    const worker = await startWorker({ WTS_LEASE_MS: '1500' });
    const id = await start('call', 'killed');
    await receiver.called('/killed/second');
    await worker.kill();
    await startWorker({ WTS_LEASE_MS: '1500' });
    expect(await end(id)).toEqual(success);
    expect(keysOf('/killed/first')).toEqual([`${id}.1`]);
    expect(keysOf('/killed/second')).toEqual([`${id}.2`, `${id}.2`]);
    expect((await api.get(`${cases}/killed`)).body).toMatchObject({ Count: '1', Stage: 'Done' });
  });

  it('a task that is deleted meanwhile ends what was begun on it; one made anew under its Unique ID is another', async () => {
    let release: () => void = () => undefined;
    receiver.answer('/anew/second', (response) => (release = () => response.end()));
    await startWorker();
    const held = await start('call', 'anew');
    await receiver.called('/anew/second');
    const post = async (action_id: string): Promise<string> =>
      ((await api.post(executions, { task_id: 'anew', action_id }).expect(202)).body as { id: string }).id;
    const [behind, cancelled] = [await post('move'), await post('move')];
    await api.delete(`${cases}/anew`).expect(204);
    await api.delete(`${executions}/${cancelled}`).expect(204);
    const { body } = await api.post(cases, { ID: 'anew', Count: 0 }).expect(201);
    release();
    const isGone = { status: 'Fail', errors: ['task was deleted'] };
    expect([await end(held), await end(behind)]).toEqual([isGone, isGone]);
    expect(await end(cancelled)).toEqual({ status: 'Fail', errors: ['was cancelled'] });
    expect((await api.get(`${cases}/anew`)).body).toEqual(body);
    expect(await end(await post('move'))).toEqual(success);
  });

  it('SIGTERM in mid call: the lease is given back at once, and the process ends with 0 within seconds', async () => {
    receiver.answer('/stopped/second', (response, _, earlier) => {
      if (earlier > 0) response.end();
    });
    const settings = { WTS_LEASE_MS: '600000' };
    const worker = await startWorker(settings);
    const id = await start('call', 'stopped');
    await receiver.called('/stopped/second');
    await startWorker(settings);
    const asked = performance.now();
    expect(await worker.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(15_000);
    expect(await end(id)).toEqual(success);
    expect(keysOf('/stopped/first')).toEqual([`${id}.1`]);
    expect(keysOf('/stopped/second')).toEqual([`${id}.2`, `${id}.2`]);
  });

  it('E2 who wakes after the end of its lease changes nothing', async () => {
    receiver.answer('/frozen/second', (response, _, earlier) => {
      if (earlier > 0) response.end();
    });
    const worker = await startWorker({ WTS_LEASE_MS: '1500' });
    const id = await start('call', 'frozen');
    await receiver.called('/frozen/second');
    process.kill(worker.pid, 'SIGSTOP');
    await startWorker({ WTS_LEASE_MS: '1500' });
    expect(await end(id)).toEqual(success);
    const before = await api.get(`${cases}/frozen`);
    expect(before.body).toMatchObject({ Count: '1', Stage: 'Done' });
    process.kill(worker.pid, 'SIGCONT');
    // It works again when it has done something else, however long it takes.
    expect(await worker.stop()).toBe(0);
    const after = await api.get(`${cases}/frozen`);
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
    expect(await end(id)).toEqual(success);
    expect(new Set(keysOf('/frozen/second')).size).toBe(1);
  });

  it('E9 an execution whose worker dies 5 times without progress is given up, and others are not', async () => {
    receiver.answer('/poison/first', neverAnswer);
    const settings = { WTS_LEASE_MS: '1000' };
    const id = await start('call', 'poison');
    const others: string[] = [];
    for (let death = 1; death <= 5; death += 1) {
      const worker = await startWorker(settings);
      others.push(await start('move', `good-${death}`));
      await receiver.called('/poison/first', death);
      await worker.kill();
    }
    await startWorker(settings);
    expect(await end(id)).toEqual({ status: 'Fail', errors: ['was given up after several attempts'] });
    expect(await stepsOf(id)).toEqual(['Add Skipped', 'First Fail', 'Second Skipped', 'Move Skipped']);
    expect(receiver.of('/poison/first')).toHaveLength(5);
    expect(new Set(keysOf('/poison/first'))).toEqual(new Set([`${id}.1`]));
    expect(await Promise.all(others.map((other) => end(other)))).toEqual(others.map(() => success));
    expect((await api.get(`${cases}/poison`)).body).toMatchObject({ Count: '0', Stage: 'New' });
  });

  /** What became of each step. */
  async function stepsOf(id: string): Promise<string[]> {
    const { body } = await api.get(`${executions}/${id}?_verbose=true`).expect(200);
    const { steps } = body as { steps: { name: string; status: string }[] };
    return steps.map(({ name, status }) => `${name} ${status}`);
  }

  /** The id of the execution of this task, once there is one. */
  async function pending(task: string): Promise<string> {
    for (const deadline = Date.now() + patience; Date.now() < deadline; await pause(20)) {
      const { body } = await api.get(`${executions}?task_id=${task}`).expect(200);
      const [execution] = body as { id: string }[];
      if (execution) return execution.id;
    }
    throw new Error('no execution');
  }

  // How an execution is found has no part in these.
  if (ground === 'without Redis') {
    it('kill -9 behind a failed call that says on_failure: continue: it is not made again, and stays failed', async () => {
      receiver.answer('/lenient/first', answerWith(404));
      receiver.answer('/lenient/second', (response, _, earlier) => {
        if (earlier > 0) response.end();
      });
      const worker = await startWorker({ WTS_LEASE_MS: '1500' });
      const id = await start('lenient', 'lenient');
      await receiver.called('/lenient/second');
      await worker.kill();
      await startWorker({ WTS_LEASE_MS: '1500' });
      expect(await end(id)).toEqual(success);
      expect(keysOf('/lenient/first')).toEqual([`${id}.0`]);
      expect((await api.get(`${executions}/${id}?_verbose=true`)).body).toMatchObject({
        steps: [
          { name: 'First', status: 'Fail', because: 'was answered with status 404' },
          { name: 'Second', status: 'Success' },
          { name: 'Move', status: 'Success' },
        ],
      });
    });

    it('SIGTERM while it pauses between tries: no other than in mid call', async () => {
      receiver.answer('/paused/first', (response, _, earlier) => {
        response.writeHead(earlier > 0 ? 200 : 503, { 'retry-after': '200' }).end();
      });
      const settings = { WTS_LEASE_MS: '600000' };
      const worker = await startWorker(settings);
      const id = await start('call', 'paused');
      await receiver.called('/paused/first');
      await startWorker(settings);
      expect(await worker.stop()).toBe(0);
      expect(await end(id)).toEqual(success);
      expect(keysOf('/paused/first')).toEqual([`${id}.1`, `${id}.1`]);
    });

    describe('deadlines', () => {
      it('an execution that takes longer than WTS_EXECUTION_MS ends Fail, and says which call was answered', async () => {
        receiver.answer('/long/second', neverAnswer);
        // Long enough for the first call, also of a process that has just begun on a slow machine.
        await startWorker({ WTS_EXECUTION_MS: '10000' });
        const id = await start('call', 'long');
        expect(await end(id)).toEqual({ status: 'Fail', errors: ['took too long'] });
        expect(await stepsOf(id)).toEqual(['Add Skipped', 'First Success', 'Second Fail', 'Move Skipped']);
        expect(receiver.of('/long/second')).toHaveLength(1);
        expect((await api.get(`${cases}/long`)).body).toMatchObject({ Count: '0', Stage: 'New' });
      });

      it('counted from its first claim, whoever goes on with it', async () => {
        receiver.answer('/resumed/first', neverAnswer);
        const id = await start('call', 'resumed');
        // Somebody has it until the worker is up; by then all but some seconds of an hour are gone.
        await age(id, `lease_until = now() + interval '1 hour', claims = 1, fence = 1`);
        await startWorker({ WTS_EXECUTION_MS: '3600000' });
        await age(id, `lease_until = now(), started_at = now() - interval '3588 seconds'`);
        await receiver.called('/resumed/first');
        expect(await end(id)).toEqual({ status: 'Fail', errors: ['took too long'] });
      });

      it('one that nobody has and that is past it is not begun again', async () => {
        const id = await start('call', 'past');
        const expired = `lease_until = now() + interval '2 seconds', claims = 1, fence = 1`;
        await age(id, `${expired}, started_at = now() - interval '1 day'`);
        await startWorker();
        expect(await end(id)).toEqual({ status: 'Fail', errors: ['took too long'] });
        expect(receiver.of('/past')).toEqual([]);
      });
    });

    it('`Prefer: wait` is answered at shutdown, though the execution has not ended', async () => {
      const other = await startWorker({ WTS_ROLE: 'api' });
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Prefer: 'wait=25',
      };
      await api.post(cases, { ID: 'waiting', Count: 0 }).expect(201);
      const body = JSON.stringify({ task_id: 'waiting', action_id: 'move' });
      const posted = fetch(other.url + executions, { method: 'POST', headers, body });
      const id = await pending('waiting');
      const read = fetch(`${other.url}${executions}/${id}`, { headers });
      // The requests are waiting by now; were they not, they would be answered all the same.
      await pause(500);
      const asked = performance.now();
      expect(await other.stop()).toBe(0);
      expect(performance.now() - asked).toBeLessThan(15_000);
      const [post, get] = await Promise.all([posted, read]);
      expect([post.status, await post.json()]).toEqual([202, { id, status: 'Pending' }]);
      expect([get.status, await get.json()]).toEqual([200, { id, status: 'Pending' }]);
      await startWorker();
      expect(await end(id)).toEqual(success);
    });

    it('one that was never begun within WTS_UNCLAIMED_MS ends Fail', async () => {
      const id = await start('move', 'forgotten');
      await age(id, `created_at = now() - interval '2 days'`);
      await startWorker();
      expect(await end(id)).toEqual({ status: 'Fail', errors: ['was not begun in time'] });
      expect((await api.get(`${cases}/forgotten`)).body).toMatchObject({ Stage: 'New' });
    });
  }
});
