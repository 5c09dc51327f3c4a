import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describeWith } from '../../support/describe-with.js';
import { hasRedis } from '../../support/redis.js';
import { until } from '../../support/until.js';
import { type Envelope } from '../../webhooks/webhooks.js';
import { type Answer, leaseMs, type Setting, startSetting } from './setting.js';

const add = (field: string): string =>
  `{ name: Add, type: update_fields, set: { ${field}: { expression: 'task["${field}"] + 1' } } }`;
const often = 'limit: { per_rule: 900000 per minute }';

/** Of each task the action runs once, two rules match once each, and a clock fires once. */
const definition = (url: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Busy }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Due, type: datetime }
      - { name: Count, type: number, default: 0 }
      - { name: Matched, type: number, default: 0 }
      - { name: Rungs, type: number, default: 0 }
    actions:
      - id: run
        name: Run
        steps:
          - ${add('Count')}
          - { name: Call, type: api_call, url: '${url}/{{ID}}/', timeout_seconds: 120 }
          - { name: Move, type: move_to_stage, stage: Busy }
      - { id: match, name: Match, steps: [${add('Matched')}] }
      - { id: rung, name: Rung, steps: [${add('Rungs')}] }
    rules:
      - { id: made, on: created, run: match, ${often} }
      - { id: moved, on: stage_entered, stage: Busy, run: match, ${often} }
    clocks: [{ id: due, due: { field: Due }, rungs: [{ at: 100%, run: rung }] }]
`;
const tasks = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';
const feed = '/api/v1/events?type=task.created&type=task.updated';

interface Fault {
  readonly name: string;
  readonly fault: () => Promise<void>;
  /** Ends the fault once all is done in spite of it. */
  readonly mend?: () => Promise<void> | void;
}

describeWith(
  hasRedis(),
  'faults: whatever was acknowledged is there, and all that follows from it happens once',
  'redis-server',
  () => {
    let setting: Setting;
    /** What the receiver of the webhook was told, in the order in which it came. */
    const told: Envelope[] = [];

    beforeAll(async () => {
      setting = await startSetting(definition);
      await setting.query(noteUpdates('overwritten', `OLD.status <> 'Pending'`));
      await setting.query(
        noteUpdates('stolen', 'NEW.fence > OLD.fence AND OLD.lease_until > clock_timestamp()'),
      );
      setting.receiver.answer('/told', (response, { body }) => {
        told.push(JSON.parse(body) as Envelope);
        setTimeout(() => response.end(), Math.random() * 20);
      });
      setting.receiver.answer('/', (response) => setTimeout(() => response.end(), 5 + Math.random() * 55));
      const webhook = {
        id: 'told',
        url: `${setting.receiver.url}/told`,
        events: ['task.created', 'task.updated'],
      };
      expect(await setting.answered('POST', '/api/v1/webhooks', webhook)).toMatchObject({ status: 201 });
    });
    afterAll(() => setting.stop());

    const killSome = async (fleet: 'apis' | 'workers'): Promise<void> => {
      // An execution is given up after five claims without progress.
      for (let kill = 0; kill < 4; kill += 1) {
        await sleep(100 + Math.random() * 250);
        await setting[fleet].killOne();
      }
    };

    it.each<Fault>([
      { name: 'workers are killed', fault: () => killSome('workers') },
      { name: 'APIs are killed', fault: () => killSome('apis') },
      {
        name: 'workers sleep longer than their lease',
        fault: () => setting.workers.sleepBeyondLease(3, leaseMs),
      },
      {
        name: 'Redis is away',
        async fault() {
          await setting.stopRedis();
          await sleep(2000);
        },
        mend: () => setting.startRedis(),
      },
      {
        name: 'Redis is flushed',
        async fault() {
          const redis = new Redis(setting.redis.url);
          for (let flush = 0; flush < 10; flush += 1) {
            await sleep(200);
            await redis.flushall();
          }
          redis.disconnect();
        },
      },
      {
        name: 'Redis is frozen',
        async fault() {
          process.kill(setting.redis.pid, 'SIGSTOP');
          await sleep(2000);
        },
        mend: () => void process.kill(setting.redis.pid, 'SIGCONT'),
      },
      {
        name: 'PostgreSQL crashes',
        async fault() {
          for (let crash = 0; crash < 2; crash += 1) {
            await sleep(2000);
            await setting.crashPostgres();
          }
        },
      },
    ])('$name', async ({ name, fault, mend }) => {
      const state = { isOver: false, isSettled: false };
      const begin = nextOf(await setting.answered('GET', `${feed}&_after=now`));
      const writers = Array.from({ length: 8 }, (_, n) => write(`${name} ${n}`, () => state.isOver));
      const following = follow(begin, () => state.isSettled);
      let written: string[] = [];
      try {
        await fault().finally(() => (state.isOver = true));
        written = (await Promise.all(writers)).flat();
        await until('all is done', isSettled);
      } finally {
        state.isSettled = true;
        await mend?.();
      }
      const followed = await following;

      expect(written.length).toBeGreaterThan(20);
      expect(await setting.query(ends, [`${name} %`])).toEqual([
        { tasks: written.length, executions: 4 * written.length, wrong: 0 },
      ]);
      for (const ID of written) {
        const keys = setting.receiver
          .of(`/${encodeURIComponent(ID)}/`)
          .map(({ headers }) => headers['idempotency-key']);
        expect([ID, new Set(keys).size]).toEqual([ID, 1]);
      }
      expect(await setting.query('TABLE overwritten UNION ALL TABLE stolen')).toEqual([]);

      const events = await follow(begin, () => true);
      const ids = events.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(versionsOf(events)).toEqual(await versionsOfTasks(`${name} %`));
      expect(followed.map(({ id }) => id)).toEqual(ids);
      const isTold = new Set<string>();
      await until('the webhook is told', () => {
        for (const { id } of told) isTold.add(id);
        return ids.every((id) => isTold.has(id));
      });
      const first = new Map(told.toReversed().map((event) => [event.id, event]));
      expect(versionsOf([...first.values()].reverse().filter(({ id }) => ids.includes(id)))).toEqual(
        versionsOf(events),
      );
    });

    /** Makes tasks and begins their action, again where there was no answer, until the fault is over. */
    async function write(prefix: string, isOver: () => boolean): Promise<string[]> {
      const written: string[] = [];
      while (!isOver() || written.length < 5) {
        const ID = `${prefix}-${written.length}`;
        await setting.answered('POST', tasks, { ID, Due: new Date().toISOString() });
        written.push(ID);
        await until('an execution is accepted', async () => {
          const sent = [executions, { task_id: ID, action_id: 'run' }, { 'idempotency-key': ID }] as const;
          const { status } = await setting.send('POST', ...sent);
          // 200 where the first answer was lost and the execution has ended since.
          expect([200, 202, 0, 409, 503]).toContain(status);
          return status === 200 || status === 202;
        });
        // A process that starts again needs processor time.
        await sleep(200 * Math.random());
      }
      return written;
    }

    /** Whether all events are followed, and all that is due has run; not while the database is away. */
    const isSettled = (): Promise<boolean> =>
      setting.query(undone).then(
        (rows) => rows.length === 0,
        () => false,
      );

    /** Follows the feed until it may end and nothing more comes. */
    async function follow(begin: string, mayEnd: () => boolean): Promise<Envelope[]> {
      const seen: Envelope[] = [];
      for (let path = begin; ;) {
        const isLast = mayEnd();
        const answer = await setting.answered('GET', path, undefined, { prefer: 'wait=1' });
        const events = answer.body as Envelope[];
        seen.push(...events);
        if (events.length === 0 && isLast) return seen;
        path = nextOf(answer);
      }
    }

    async function versionsOfTasks(like: string): Promise<Map<string, number[]>> {
      const rows = await setting.query<{ id: string; version: number }>(
        'SELECT unique_value AS id, version FROM tasks WHERE unique_value LIKE $1',
        [like],
      );
      return new Map(rows.map(({ id, version }) => [id, Array.from({ length: version }, (_, at) => at + 1)]));
    }
  },
);

/** Notes in a table of this name the executions that are updated so. */
const noteUpdates = (name: string, when: string): string => `
  CREATE TABLE ${name} (id text);
  CREATE FUNCTION note_${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO ${name} VALUES (OLD.id); RETURN NULL; END $$;
  CREATE TRIGGER note_${name} AFTER UPDATE ON executions
    FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION note_${name}()`;

const undone = `
  SELECT FROM followers f WHERE f.position < (SELECT n.last_position FROM number_events(f.workspace_id) n)
  UNION ALL SELECT FROM executions WHERE status = 'Pending'
  UNION ALL SELECT FROM runs WHERE result = 'waiting'
  UNION ALL SELECT FROM clocks WHERE next_at <= now()`;

/** Wrong are tasks on which something was not done exactly once. */
const ends = `
  WITH found AS (
    SELECT t.id, (SELECT jsonb_object_agg(f.name, t.field_values ->> f.id) FROM fields f
      WHERE f.name IN ('Count', 'Matched', 'Rungs')) AS values
    FROM tasks t WHERE t.unique_value LIKE $1
  )
  SELECT (SELECT count(*)::integer FROM found) AS tasks,
    (SELECT count(*)::integer FROM executions JOIN found f ON f.id = task_id WHERE status = 'Success') AS executions,
    (SELECT count(*)::integer FROM found WHERE values <> '{"Count":"1","Matched":"2","Rungs":"1"}') AS wrong`;

function nextOf({ headers }: Answer): string {
  const [, address = ''] = /<(.+)>/.exec(String(headers['link'])) ?? [];
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** The versions of each task in the order of these events. */
function versionsOf(events: readonly Envelope[]): Map<string, number[]> {
  const versions = new Map<string, number[]>();
  for (const { data } of events) {
    const { unique_id: id = '', version = 0 } = data.task ?? {};
    versions.set(id, [...(versions.get(id) ?? []), version]);
  }
  return versions;
}
