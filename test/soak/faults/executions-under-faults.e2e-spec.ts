import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { patience, until } from '../../support/until.js';
import { describeWithRedis, inTurns, leaseMs, type Setting, startSetting } from './setting.js';

const count = `{ name: Count, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }`;
const move = '{ name: Move, type: move_to_stage, stage: Busy }';
// Calls are held for longer than the default of 10 s where the machine is slow.
const call = (url: string): string =>
  `{ name: Call, type: api_call, url: '${url}/{{ID}}/', timeout_seconds: 120 }`;

const definition = (url: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Count, type: number, default: 0 }
    actions:
      - { id: run, name: Run, steps: [${count}, ${call(url)}, ${move}] }
`;
const tasks = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

describeWithRedis('executions under faults: all that were accepted end, and none is done twice', () => {
  let setting: Setting;

  beforeAll(async () => {
    setting = await startSetting(definition);
    await setting.query(noteUpdates('overwritten', `OLD.status <> 'Pending'`));
    await setting.query(noteUpdates('stolen', 'NEW.fence > OLD.fence AND OLD.lease_until > clock_timestamp()')); // prettier-ignore
  });
  afterAll(() => setting.stop());

  async function create(prefix: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
    await inTurns(ids, async (ID) => {
      // 200 where it was created without an answer.
      expect([200, 201]).toContain((await setting.answered('POST', tasks, { ID })).status);
    });
    return ids;
  }

  /** Begins the action on each of these tasks, again where there was no answer. */
  const begin = (ids: readonly string[]): Promise<void> =>
    inTurns(ids, async (task_id) => {
      const key = { 'idempotency-key': task_id };
      await until('an execution was accepted', async () => {
        const { status } = await setting.send('POST', executions, { task_id, action_id: 'run' }, key);
        expect([202, 0, 409, 503]).toContain(status);
        return status === 202;
      });
    });

  /** Waits until none is Pending; what has become of them, by the database and by the system that was called. */
  async function expectAllSucceed(prefix: string, succeeded: number): Promise<void> {
    const like = [`${prefix}-%`];
    const deadline = Date.now() + patience;
    const read = () => setting.query<{ pending: number }>(states, like).catch(() => []);
    let [state] = await read();
    while (state?.pending !== 0 && Date.now() < deadline) {
      await sleep(100);
      [state] = await read();
    }
    expect(state).toEqual({ succeeded, failed: 0, pending: 0, misapplied: 0, overwritten: 0 });
    for (const { task } of await setting.query<{ task: string }>(successfulCallers, like)) {
      const calls = setting.receiver.of(`/${task}/`);
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }
  }

  it('E1 E2 when workers are killed, or sleep longer than their lease; leases that hold are not taken', async () => {
    const rounds = 20;
    for (let round = 0; round < rounds; round += 1) {
      await begin(await create(`kill-${round}`, 10));
      await sleep(60 + Math.random() * 160);
      if (round % 5 === 4) await setting.workers.sleepBeyondLease(2, leaseMs);
      else await setting.workers.killOne();
    }
    await sleep(leaseMs);
    await expectAllSucceed('kill', rounds * 10);
    expect(await setting.query('SELECT id FROM stolen')).toEqual([]);
  });

  it('E3 without Redis', async () => {
    const ids = await create('away', 100);
    await setting.stopRedis();
    try {
      await begin(ids);
      await expectAllSucceed('away', 100);
    } finally {
      // The tests behind this one need it.
      await setting.startRedis();
    }
  });

  it('E4 when Redis is flushed', async () => {
    const ids = await create('flushed', 100);
    const redis = new Redis(setting.redis.url);
    const begun = begin(ids);
    for (let flush = 0; flush < 5; flush += 1) {
      await sleep(200);
      await redis.flushall();
    }
    await begun;
    redis.disconnect();
    await expectAllSucceed('flushed', 100);
  });

  it('E5 when Redis is frozen', async () => {
    const ids = await create('frozen', 50);
    const redis = new Redis(setting.redis.url);
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      await begin(ids);
      await expectAllSucceed('frozen', 50);
    } finally {
      process.kill(pid, 'SIGCONT');
      redis.disconnect();
    }
  });

  it('E6 when PostgreSQL crashes', async () => {
    const ids = await create('crash', 100);
    for (const some of [ids.slice(0, 50), ids.slice(50)]) {
      await begin(some);
      await setting.crashPostgres();
    }
    await expectAllSucceed('crash', 100);
  });
});

/** Notes in a table of this name the executions that are updated so. */
const noteUpdates = (name: string, when: string): string => `
  CREATE TABLE ${name} (id text);
  CREATE FUNCTION note_${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO ${name} VALUES (OLD.id); RETURN NULL; END $$;
  CREATE TRIGGER note_${name} AFTER UPDATE ON executions FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION note_${name}()`;

const ofTasks = `
  FROM executions e
  JOIN tasks t ON (t.workspace_id, t.workflow_id, t.id) = (e.workspace_id, e.workflow_id, e.task_id)
  JOIN fields f ON f.workflow_id = t.workflow_id AND f.name = 'Count'
  WHERE t.unique_value LIKE $1`;

/** Misapplied are tasks on which the steps of a Success were not applied exactly once; overwritten are ends. */
const states = `
  SELECT count(*) FILTER (WHERE e.status = 'Success')::integer AS succeeded,
    count(*) FILTER (WHERE e.status = 'Fail')::integer AS failed,
    count(*) FILTER (WHERE e.status = 'Pending')::integer AS pending,
    count(DISTINCT t.id) FILTER (WHERE e.status = 'Success' AND t.field_values ->> f.id <> '1')::integer AS misapplied,
    (SELECT count(*) FROM overwritten)::integer AS overwritten ${ofTasks}`;

const successfulCallers = `SELECT t.unique_value AS task ${ofTasks} AND e.status = 'Success'`;
