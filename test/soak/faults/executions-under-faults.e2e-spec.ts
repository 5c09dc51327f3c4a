import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { hasRedis } from '../../support/redis.js';
import { leaseMs, type Setting, startSetting } from './setting.js';
import { patience, until } from '../../support/until.js';

const count = `{ name: Count, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }`;
const move = '{ name: Move, type: move_to_stage, stage: Busy }';
// Calls are held for longer than the default of 10 s where the machine is slow.
const call = (url: string): string =>
  `{ name: Call, type: api_call, url: '${url}/{{ID}}', timeout_seconds: 120 }`;

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

/** What has become of the executions of some tasks, by the database and by who was called. */
interface State {
  readonly succeeded: number;
  readonly failed: number;
  readonly pending: number;
  /** Tasks on which the steps of a Success were not applied exactly once. */
  readonly misapplied: number;
  /** Successes after which the receiver has not seen calls under exactly one key. */
  readonly miscalled: number;
  /** Ends that were written over. */
  readonly overwritten: number;
}

(hasRedis() || process.env['CI'] ? describe : describe.skip)('executions under faults', () => {
  let setting: Setting;

  beforeAll(async () => {
    setting = await startSetting(definition);
    await setting.dataSource.query(`
      CREATE TABLE overwritten (id text);
      CREATE FUNCTION note_overwriting() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO overwritten VALUES (OLD.id); RETURN NULL; END $$;
      CREATE TRIGGER overwriting AFTER UPDATE ON executions FOR EACH ROW
        WHEN (OLD.status <> 'Pending') EXECUTE FUNCTION note_overwriting();
      CREATE TABLE stolen (LIKE overwritten);
      CREATE FUNCTION note_stealing() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO stolen VALUES (OLD.id); RETURN NULL; END $$;
      CREATE TRIGGER stealing AFTER UPDATE ON executions FOR EACH ROW
        WHEN (NEW.fence > OLD.fence AND OLD.lease_until > clock_timestamp()) EXECUTE FUNCTION note_stealing()`);
  });
  afterAll(async () => {
    await setting.stop();
  });

  const named = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

  /** Sends, again where there was no answer or the database was away. */
  async function answered(...request: Parameters<Setting['send']>): Promise<number> {
    let status = 0;
    await until('an answer', async () => {
      ({ status } = await setting.send(...request));
      return status !== 0 && status !== 503;
    });
    return status;
  }

  async function create(ids: readonly string[]): Promise<void> {
    await inTurns(ids, async (ID) => {
      // 200 where it was created without an answer.
      expect([200, 201]).toContain(await answered('POST', tasks, { ID }));
    });
  }

  /** Begins the action on each of these tasks, again where there was no answer. */
  async function begin(ids: readonly string[]): Promise<void> {
    await inTurns(ids, async (task_id) => {
      for (const deadline = Date.now() + patience; ;) {
        const { status } = await setting.send('POST', executions, { task_id, action_id: 'run' }, task_id);
        if (status === 202) return;
        expect([0, 409, 503]).toContain(status);
        expect(Date.now()).toBeLessThan(deadline);
        await sleep(50);
      }
    });
  }

  async function stateOf(prefix: string): Promise<State> {
    const [row] = await setting.dataSource.query<[Omit<State, 'miscalled'>]>(states, [`${prefix}-%`]);
    const called = await setting.dataSource.query<{ task: string }[]>(successfulCallers, [`${prefix}-%`]);
    const keys = called.map(({ task }) => new Set(setting.receiver.calls.get(task)).size);
    return { ...row, miscalled: keys.filter((count) => count !== 1).length };
  }

  /** Waits until none is Pending. A status that nobody ends is found by the deadline. */
  async function allEnd(prefix: string): Promise<State> {
    for (const deadline = Date.now() + patience; ;) {
      const state = await stateOf(prefix).catch(() => undefined);
      if (state?.pending === 0 || (state && Date.now() > deadline)) return state;
      await sleep(100);
    }
  }

  const allSucceeded = (succeeded: number, failed = 0): State => ({
    succeeded,
    failed,
    pending: 0,
    misapplied: 0,
    miscalled: 0,
    overwritten: 0,
  });

  it('E1 E2 workers that are killed, or sleep longer than their lease: none is lost, none applied twice, all end', async () => {
    const rounds = 20;
    for (let round = 0; round < rounds; round += 1) {
      const ids = named(`kill-${round}`, 10);
      await create(ids);
      await begin(ids);
      await sleep(60 + Math.random() * 160);
      if (round % 5 === 4) await sleepBeyondLease();
      else await (await setting.workers.anyOne()).kill();
    }
    await sleep(leaseMs);
    expect(await allEnd('kill')).toEqual(allSucceeded(rounds * 10));
    // What one of them had done was not done over while it had its lease.
    expect(await setting.dataSource.query('SELECT id FROM stolen')).toEqual([]);
  });

  /** Two of the workers wake up when others have what they had. */
  async function sleepBeyondLease(): Promise<void> {
    const sleepers = setting.workers.up().slice(0, 2);
    for (const { pid } of sleepers) process.kill(pid, 'SIGSTOP');
    await sleep(leaseMs * 3);
    for (const { pid } of sleepers) process.kill(pid, 'SIGCONT');
  }

  it('E3 without Redis every POST is accepted, and all end', async () => {
    const ids = named('away', 100);
    await create(ids);
    await setting.stopRedis();
    try {
      await begin(ids);
      expect(await allEnd('away')).toEqual(allSucceeded(ids.length));
    } finally {
      // The tests behind this one need it.
      await setting.startRedis();
    }
  });

  it('E4 a Redis that is flushed loses nothing', async () => {
    const ids = named('flushed', 100);
    await create(ids);
    const redis = new Redis(setting.redis.url);
    const begun = begin(ids);
    for (let flush = 0; flush < 5; flush += 1) {
      await sleep(200);
      await redis.flushall();
    }
    await begun;
    redis.disconnect();
    expect(await allEnd('flushed')).toEqual(allSucceeded(ids.length));
  });

  it('E5 a Redis that is frozen keeps no POST from 202, and no execution from its end', async () => {
    const ids = named('frozen', 50);
    await create(ids);
    const redis = new Redis(setting.redis.url);
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      await begin(ids);
      expect(await allEnd('frozen')).toEqual(allSucceeded(ids.length));
    } finally {
      process.kill(pid, 'SIGCONT');
      redis.disconnect();
    }
  });

  it('E6 a PostgreSQL that crashes loses no acknowledged execution', async () => {
    const restarts = 2;
    const ids = named('crash', restarts * 50);
    await create(ids);
    for (let restart = 0; restart < restarts; restart += 1) {
      await begin(ids.slice(restart * 50, restart * 50 + 50));
      await setting.crashPostgres();
    }
    expect(await allEnd('crash')).toEqual(allSucceeded(ids.length));
  });
});

/** Does the work for each, 16 at once. */
async function inTurns<T>(list: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = list.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const one of rest) await work(one);
    }),
  );
}

const states = `
  SELECT count(*) FILTER (WHERE e.status = 'Success')::integer AS succeeded,
    count(*) FILTER (WHERE e.status = 'Fail')::integer AS failed,
    count(*) FILTER (WHERE e.status = 'Pending')::integer AS pending,
    count(DISTINCT t.id) FILTER (WHERE e.status = 'Success' AND t.field_values ->> f.id <> '1')::integer AS misapplied,
    (SELECT count(*) FROM overwritten)::integer AS overwritten
  FROM executions e
  JOIN tasks t ON (t.workspace_id, t.workflow_id, t.id) = (e.workspace_id, e.workflow_id, e.task_id)
  JOIN fields f ON f.workflow_id = t.workflow_id AND f.name = 'Count'
  WHERE t.unique_value LIKE $1`;

const successfulCallers = `
  SELECT t.unique_value AS task FROM executions e
  JOIN tasks t ON (t.workspace_id, t.workflow_id, t.id) = (e.workspace_id, e.workflow_id, e.task_id)
  WHERE t.unique_value LIKE $1 AND e.status = 'Success' AND e.action_id = 'run'`;
