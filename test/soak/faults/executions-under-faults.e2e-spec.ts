import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import Bull from 'bull';
import { isFull, upTo } from '../../support/effort.js';
import { hasRedis } from '../../support/redis.js';
import { leaseMs, type Setting, startSetting } from './setting.js';
import { english, messageOfText } from '../../../src/lib/message.js';
import { patience, until } from '../../support/until.js';

const root = join(import.meta.dirname, '../../..');

// `npm run test:faults` takes the whole numbers, each other run a tenth of them. WTS_SABOTAGE takes a safeguard away.
const of = (count: number): number => upTo(count, 10);

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
      - { name: A, type: text }
      - { name: B, type: text }
    actions:
      - { id: run, name: Run, steps: [${count}, ${call(`${url}/fast`)}, ${move}] }
      - { id: slow, name: Slow, steps: [${count}, ${call(`${url}/slow`)}, ${move}] }
      - { id: held, name: Held, steps: [${count}, ${call(`${url}/held`)}, ${move}] }
      - { id: gone, name: Gone, steps: [${count}, ${call(`${url}/held`)}, ${move}] }
      - { id: once, name: Once, stages: [New], steps: [${count}, ${move}] }
      - { id: poison, name: Poison, steps: [{ name: Poison, type: move_to_stage, stage: Busy }] }
`;
const tasks = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

describe('sabotage', () => {
  it('finds every safeguard that it would take away', async () => {
    const { patches } = (await import(new URL('patches.mjs', import.meta.url).href)) as {
      patches: Record<string, { file: string; from: string }[]>;
    };
    for (const { file, from } of Object.values(patches).flat())
      expect(await readFile(join(root, 'dist/src', file), 'utf8')).toContain(from);
  });
});

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
  const figures: string[] = [];

  beforeAll(async () => {
    setting = await startSetting(definition, process.env['WTS_SABOTAGE']);
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
    if (isFull) process.stdout.write(`\n${figures.join('\n')}\n\n`);
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

  /** Begins an action on each of these tasks, again where there was no answer; says how long each answer took. */
  async function begin(ids: readonly string[], action_id: string): Promise<number[]> {
    const times: number[] = [];
    await inTurns(ids, async (task_id) => {
      for (const deadline = Date.now() + patience; ;) {
        const from = performance.now();
        const { status } = await setting.send('POST', executions, { task_id, action_id }, task_id);
        times.push(performance.now() - from);
        if (status === 202) return;
        expect([0, 409, 503]).toContain(status);
        expect(Date.now()).toBeLessThan(deadline);
        await sleep(50);
      }
    });
    return times.sort((a, b) => a - b);
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

  it('E1 kill -9 of workers: none is lost, none applied twice, all end', async () => {
    const kills = of(200);
    const deaths = setting.workers.deaths;
    for (let round = 0; round < kills; round += 1) {
      const ids = named(`kill-${round}`, 10);
      await create(ids);
      await begin(ids, 'run');
      await sleep(60 + Math.random() * 160);
      await (await setting.workers.anyOne()).kill();
    }
    expect(await allEnd('kill')).toEqual(allSucceeded(kills * 10));
    figures.push(`E1: ${setting.workers.deaths - deaths} kills, ${kills * 10} executions`);
  }, 1_200_000);

  it('E2 a worker that wakes up after its lease writes nothing', async () => {
    const stops = of(80);
    for (let round = 0; round < stops; round += 2) {
      const ids = named(`stop-${round}`, 40);
      await create(ids);
      await begin(ids, 'run');
      const sleepers = setting.workers.up().slice(0, 2);
      for (const { pid } of sleepers) process.kill(pid, 'SIGSTOP');
      await sleep(leaseMs * 3);
      for (const { pid } of sleepers) process.kill(pid, 'SIGCONT');
    }
    await sleep(leaseMs);
    expect(await allEnd('stop')).toEqual(allSucceeded(stops * 20));
    figures.push(`E2: ${stops} stops, ${stops * 20} executions`);
  });

  it('E3 without Redis every POST is accepted, and all end', async () => {
    const ids = named('away', of(1000));
    await create(ids);
    await setting.stopRedis();
    let p99 = Infinity;
    try {
      const times = await begin(ids, 'run');
      expect(times).toHaveLength(ids.length);
      p99 = times[Math.floor(times.length * 0.99)] ?? Infinity;
      // Of the machine alone, as this run has it.
      if (isFull) expect(p99).toBeLessThan(1000);
      expect(await allEnd('away')).toEqual(allSucceeded(ids.length));
    } finally {
      // The tests behind this one need it.
      await setting.startRedis();
    }
    figures.push(`E3: ${ids.length} POSTs, p99 ${p99.toFixed(0)} ms`);
  });

  it('E4 a Redis that is flushed loses nothing', async () => {
    const ids = named('flushed', of(1000));
    await create(ids);
    const redis = new Redis(setting.redis.url);
    const begun = begin(ids, 'run');
    for (let flush = 0; flush < 5; flush += 1) {
      await sleep(of(2000));
      await redis.flushall();
    }
    await begun;
    redis.disconnect();
    expect(await allEnd('flushed')).toEqual(allSucceeded(ids.length));
    figures.push(`E4: ${ids.length} executions, 5 flushes`);
  });

  it('E6 a PostgreSQL that crashes loses no acknowledged execution', async () => {
    const restarts = Math.max(of(4), 2);
    const ids = named('crash', restarts * 50);
    await create(ids);
    for (let restart = 0; restart < restarts; restart += 1) {
      await begin(ids.slice(restart * 50, restart * 50 + 50), 'run');
      await setting.crashPostgres();
    }
    expect(await allEnd('crash')).toEqual(allSucceeded(ids.length));
    figures.push(`E6: ${restarts} crashes, ${ids.length} executions`);
  });

  it('E8 a job that is queued five times for each changes nothing', async () => {
    const ids = named('queued', of(1000));
    await create(ids);
    const redis = new Redis(setting.redis.url, { maxRetriesPerRequest: null, enableReadyCheck: false });
    const queue = new Bull('jobs', { createClient: () => redis });
    for (let from = 0; from < ids.length; from += 100) {
      // While they are under way.
      const some = ids.slice(from, from + 100);
      await begin(some, 'held');
      await queueFiveTimes(queue, some);
      setting.receiver.release(some);
    }
    expect(await allEnd('queued')).toEqual(allSucceeded(ids.length));
    // Whose lease ran out on a busy machine is claimed again; else each is called once.
    const claims = await setting.dataSource.query<{ task: string; fence: number }[]>(claimsOf, [ids]);
    const calls = (task: string): number => setting.receiver.calls.get(task)?.length ?? 0;
    expect(claims.filter(({ task, fence }) => calls(task) > fence)).toEqual([]);
    expect(await setting.dataSource.query('SELECT id FROM stolen')).toEqual([]);
    await queue.close();
    // A client that was given to Bull is not Bull's to close, and would try to reach its Redis for ever.
    redis.disconnect();
    figures.push(`E8: ${ids.length} executions, each queued 5 times`);
  });

  it('E9 an execution that kills its worker is given up, and no other', async () => {
    const ids = named('good', of(200));
    await create([...ids, 'poison-0']);
    const deaths = setting.workers.deaths;
    await Promise.all([begin(ids, 'slow'), begin(['poison-0'], 'poison')]);
    expect(await allEnd('poison')).toMatchObject({ failed: 1, pending: 0 });
    expect(await allEnd('good')).toEqual(allSucceeded(ids.length));
    expect(await errorsOf('poison-0')).toEqual(['was given up after several attempts']);
    // The last may be noticed later than what came of it.
    await until('five deaths', () => setting.workers.deaths - deaths >= 5);
    expect(setting.workers.deaths - deaths).toBe(5);
    figures.push(`E9: 1 poison among ${ids.length}`);
  });

  it('E10 a task or an action that is deleted meanwhile ends it with one message', async () => {
    const deleted = named('deleted', of(100));
    const outdated = named('outdated', of(100));
    await create([...deleted, ...outdated]);
    const [row] = await setting.dataSource.query<[{ place: string }]>('SELECT COALESCE(max(place), 0) AS place FROM executions'); // prettier-ignore
    await Promise.all([begin(deleted, 'held'), begin(outdated, 'gone')]);
    await inTurns(deleted, (id) => answered('DELETE', `${tasks}/${id}`));
    await setting.dataSource.transaction(async (db) => {
      await db.query(`DELETE FROM actions WHERE id = 'gone'`);
      await db.query('UPDATE workspaces SET version = version + 1');
    });
    setting.receiver.release([...deleted, ...outdated]);
    const pending = `SELECT FROM executions WHERE status = 'Pending'`;
    await until(async () => (await setting.dataSource.query<unknown[]>(pending)).length === 0);
    const ends = await setting.dataSource.query<{ errors: string[]; count: number }[]>(laterErrors, [row.place]); // prettier-ignore
    const told = ends.map(({ errors, count }) => ({ errors: errors.map(messageOfText).map(english), count }));
    expect(told).toEqual([
      { errors: ['Gone is not an action of this workflow any more'], count: of(100) },
      { errors: ['task was deleted'], count: of(100) },
    ]);
    figures.push(`E10: ${of(100)} deleted tasks, ${of(100)} executions of a deleted action`);
  });

  it('E14 of 50 at once of an action that may happen once, one succeeds', async () => {
    for (let round = 0; round < of(20); round += 1) {
      await create([`once-${round}-0`]);
      const body = { task_id: `once-${round}-0`, action_id: 'once' };
      const answers = await Promise.all(named('', 50).map(() => setting.send('POST', executions, body)));
      const accepted = answers.filter(({ status }) => status === 202).length;
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(50 - accepted);
      const { succeeded, failed, misapplied } = await allEnd(`once-${round}`);
      expect({ succeeded, failed, misapplied }).toEqual({
        succeeded: 1,
        failed: accepted - 1,
        misapplied: 0,
      });
    }
    figures.push(`E14: ${of(20)} × 50 POSTs`);
  });

  it('edits of other fields during a slow call are kept', async () => {
    const ids = named('edited', of(100));
    await create(ids);
    const put = async (edit: object): Promise<void> => {
      expect(await answered('PUT', tasks, edit)).toBe(200);
    };
    await inTurns(ids, (ID) => put({ ID, A: '-', B: '-' }));
    await begin(ids, 'held');
    while (!ids.every((ID) => setting.receiver.calls.has(ID))) await sleep(20);
    const edits = ids.flatMap((ID) => [
      { ID, A: 'a' },
      { ID, B: 'b' },
    ]);
    await inTurns(edits, put);
    setting.receiver.release(ids);
    expect(await allEnd('edited')).toEqual(allSucceeded(ids.length));
    const { body } = await setting.send('GET', `${tasks}?A=a&B=b&Stage=Busy&_limit=200&_fields=ID`);
    expect(body).toHaveLength(ids.length);
    figures.push(`edits: ${edits.length} during ${ids.length} calls`);
  });

  async function queueFiveTimes(queue: Bull.Queue, ids: readonly string[]): Promise<void> {
    const rows = await setting.dataSource.query<{ id: string }[]>(executionsOf, [ids]);
    const rings = rows.flatMap(({ id }) => Array.from({ length: 5 }, () => ({ id, at: Math.random() })));
    for (const { id } of rings.sort((a, b) => a.at - b.at))
      await queue.add({ kind: 'execution', job: { workspaceId: 1, id } }, { removeOnComplete: true });
  }

  async function errorsOf(task: string): Promise<unknown> {
    const [row] = await setting.dataSource.query<[{ errors: unknown }]>(`${executionsBy} AND t.unique_value = $1`, [task]); // prettier-ignore
    return row.errors;
  }
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

const executionsBy = `
  SELECT e.id, e.errors FROM executions e JOIN tasks t ON (t.workspace_id, t.workflow_id, t.id) = (e.workspace_id, e.workflow_id, e.task_id)
  WHERE TRUE`;
const executionsOf = `${executionsBy} AND t.unique_value = ANY($1)`;
const claimsOf = `
  SELECT t.unique_value AS task, e.fence::integer FROM executions e
  JOIN tasks t ON (t.workspace_id, t.workflow_id, t.id) = (e.workspace_id, e.workflow_id, e.task_id)
  WHERE t.unique_value = ANY($1)`;

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
  WHERE t.unique_value LIKE $1 AND e.status = 'Success' AND e.action_id IN ('run', 'slow', 'held')`;

const laterErrors = `
  SELECT errors, count(*)::integer FROM executions WHERE place > $1::bigint
  GROUP BY errors ORDER BY errors`;
