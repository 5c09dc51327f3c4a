import { setTimeout as sleep } from 'node:timers/promises';
import { definition, type Envelope } from '../../webhooks/webhooks.js';
import { until } from '../../support/until.js';
import { type Answer, describeWithRedis, leaseMs, type Setting, startSetting } from './setting.js';

const tasks = '/api/v1/workflows/vendors/tasks';
const feed = '/api/v1/events?type=task.created&type=task.updated';
const KILLS = 12;
const EVENTS = 2000;
const WRITERS = 32;

describeWithRedis(
  'events while processes that write and send them are killed, or sleep longer than a lease',
  () => {
    let setting: Setting;
    /** What the receiver was told, in the order in which it came. */
    const told: Envelope[] = [];
    let twiceAtOnce = 0;

    beforeAll(async () => {
      setting = await startSetting(() => definition, { apis: 2, workers: 2 });
      await setting.query('ALTER TABLE tasks ALTER version_offset SET DEFAULT 0');
      const inHand = new Set<string>();
      setting.receiver.answer('/', (response, { body }) => {
        const event = JSON.parse(body) as Envelope;
        told.push(event);
        if (inHand.has(event.id)) twiceAtOnce += 1;
        inHand.add(event.id);
        response.on('close', () => inHand.delete(event.id));
        setTimeout(() => response.end(), Math.random() * 20);
      });
    });
    afterAll(() => setting.stop());

    /** Makes tasks and changes them; says which events were acknowledged. */
    async function write(writer: number, isOver: () => boolean): Promise<string[]> {
      const acknowledged: string[] = [];
      for (let count = 0; !isOver(); count += 1)
        for (let change = 0; change < 5; change += 1) {
          // The last change is of a task that others change at the same time.
          const ID = change === 4 ? `shared-${count % 3}` : `${writer}-${count}`;
          const Value = writer * 1000 + count * 5 + change;
          const { 'event-id': id } = (await setting.answered('POST', tasks, { ID, Value })).headers;
          if (typeof id === 'string') acknowledged.push(id);
          // A process that starts again needs processor time.
          await sleep(WRITERS * 5 * Math.random());
        }
      return acknowledged;
    }

    /** Follows the feed in pages of so many events until it may end, and nothing comes any more. */
    async function follow(limit: number, mayEnd: () => boolean): Promise<Envelope[]> {
      const seen: Envelope[] = [];
      for (let path = `${feed}&_limit=${limit}`; ;) {
        const isLast = mayEnd();
        const answer = await setting.answered('GET', path, undefined, { prefer: 'wait=1' });
        const events = answer.body as Envelope[];
        if (!Array.isArray(events)) throw new Error(`the feed answers ${JSON.stringify(events)}`);
        seen.push(...events);
        if (events.length === 0 && isLast) return seen;
        path = nextOf(answer) ?? path;
      }
    }

    /** Kills one process after the other, and stops all senders now and then, until there were so many kills and events. */
    async function killAndWait(): Promise<void> {
      for (let kill = 0; kill < KILLS; kill += 1) {
        await sleep(200 + Math.random() * 300);
        await (kill % 2 === 0 ? setting.apis : setting.workers).killOne();
        if (kill === 8) await setting.workers.sleepBeyondLease(2, leaseMs);
      }
      const enough = `SELECT FROM events OFFSET ${EVENTS} LIMIT 1`;
      await until('events', async () => (await setting.query(enough)).length > 0);
    }

    it('the feed misses none and tells none twice, in the order of each task; each is delivered, under its id', async () => {
      const webhook = { id: 'told', url: setting.receiver.url, events: ['task.created', 'task.updated'] };
      expect(await setting.answered('POST', '/api/v1/webhooks', webhook)).toMatchObject({ status: 201 });
      const state = { isOver: false, mayEnd: false };
      const writing = Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n, () => state.isOver)));
      const following = [1000, 100].map((limit) => follow(limit, () => state.mayEnd));
      // A follower ends before its time only if it is told something wrong.
      await Promise.race([killAndWait(), Promise.all(following)]).finally(() => (state.isOver = true));
      const acknowledged = (await writing).flat();
      state.mayEnd = true;

      const events = await follow(1000, () => true);
      const ids = events.map(({ id }) => id);
      const known = new Set(ids);
      expect(known.size).toBe(ids.length);
      expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
      expect(versionsOf(events)).toEqual(await versionsOfTasks());
      for (const follower of following) expect((await follower).map(({ id }) => id)).toEqual(ids);

      await until('all of it', () => new Set(told.map(({ id }) => id)).size >= known.size);
      const seen = new Set<string>();
      const first = told.filter(({ id }) => seen.size < seen.add(id).size);
      expect(seen).toEqual(known);
      expect(versionsOf(first)).toEqual(versionsOf(events));
      // One that is stopped between its last look at the clock and what it sends then sends it when it wakes.
      expect(twiceAtOnce).toBeLessThanOrEqual(2);
    });

    /** Every version that each task has had. */
    async function versionsOfTasks(): Promise<Map<string, number[]>> {
      const rows = await setting.query<{ id: string; version: number }>('SELECT unique_value AS id, version FROM tasks'); // prettier-ignore
      return new Map(rows.map(({ id, version }) => [id, Array.from({ length: version }, (_, at) => at + 1)]));
    }
  },
);

function nextOf({ headers }: Answer): string | undefined {
  const [, address] = /<(.+)>/.exec(String(headers['link'])) ?? [];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** The versions of each task in the order in which they are told. */
function versionsOf(events: readonly Envelope[]): Map<string, number[]> {
  const versions = new Map<string, number[]>();
  for (const { data } of events) {
    const { unique_id: id = '', version = 0 } = data.task ?? {};
    versions.set(id, [...(versions.get(id) ?? []), version]);
  }
  return versions;
}
