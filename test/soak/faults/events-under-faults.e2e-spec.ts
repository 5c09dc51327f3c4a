import { setTimeout as sleep } from 'node:timers/promises';
import { type Response } from 'supertest';
import { Agent, request } from 'undici';
import { countVersionsFromOne, startService } from '../../support/service.js';
import { definition, type Envelope } from '../../webhooks/webhooks.js';
import { Fleet } from './fleet.js';
import { startTold } from './told.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

const tasks = '/api/v1/workflows/vendors/tasks';
const feed = '/api/v1/events?type=task.created&type=task.updated';
const KILLS = 12;
const EVENTS = 2000;
const WRITERS = 32;
const leaseMs = 1000;

const told = await startTold();
const service = await startService({ WTS_ROLE: 'api' });
await service.apply(definition);
await countVersionsFromOne(service);
const key = await service.key('acme', 'admin');
const environment = {
  WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
  ...testOptions({ webhookDelaysMs: [0, 200, 200, 200, 200, 200], leaseMs }),
  WTS_LOG_LEVEL: 'silent',
  WTS_BLOB_STORE: service.config.blobStore ?? '',
};
const databaseUrl = service.config.databaseUrl ?? '';
const apis = new Fleet(databaseUrl, { ...environment, WTS_ROLE: 'api' });
const senders = new Fleet(databaseUrl, { ...environment, WTS_ROLE: 'worker' });
await Promise.all([apis.start(2), senders.start(2)]);

describe('events while those who write, number and send them are killed, or stopped for longer than a lease', () => {
  const agent = new Agent({ connections: 64 });

  afterAll(async () => {
    await Promise.all([apis.stop(), senders.stop()]);
    await agent.destroy();
    await service.stop();
    told.stop();
  });

  /** An answer of one of the APIs; undefined where the connection was lost or it was too busy. */
  async function send(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
  ): Promise<{ readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> } | undefined> {
    const up = apis.up();
    const url = up[Math.floor(Math.random() * up.length)]?.url ?? '';
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=1' };
    const options = { method, headers, dispatcher: agent, body: body ? JSON.stringify(body) : null };
    try {
      const answer = await request(url + path, options);
      const text = await answer.body.text();
      return answer.statusCode < 500 ? { body: JSON.parse(text), headers: answer.headers } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Makes tasks and changes them, again where there was no answer; says which events were acknowledged. */
  async function write(writer: number, isOver: () => boolean): Promise<string[]> {
    const acknowledged: string[] = [];
    for (let count = 0; !isOver(); count += 1) {
      for (let change = 0; change < 5;) {
        // The last change is of a task that others change at the same time.
        const ID = change === 4 ? `shared-${count % 3}` : `${writer}-${count}`;
        const answer = await send('POST', tasks, { ID, Value: writer * 1000 + count * 5 + change });
        if (answer) change += 1;
        // Whoever is killed must find processor time to come up again.
        await sleep(WRITERS * 5 * Math.random());
        const id = answer?.headers['event-id'];
        if (typeof id === 'string') acknowledged.push(id);
      }
    }
    return acknowledged;
  }

  /** Follows the feed in pages of so many events until it has been told to stop, and nothing comes any more. */
  async function follow(limit: number, isOver: () => boolean): Promise<string[]> {
    const seen: string[] = [];
    for (let path = `${feed}&_limit=${limit}`; ;) {
      const mayEnd = isOver();
      const answer = await send('GET', path);
      if (!answer) await sleep(20);
      const events = (answer?.body ?? []) as Envelope[];
      if (!Array.isArray(events)) throw new Error(`who follows was answered ${JSON.stringify(events)}`);
      seen.push(...events.map(({ id }) => id));
      if (answer && events.length === 0 && mayEnd) return seen;
      path = nextOf(answer?.headers) ?? path;
    }
  }

  async function countEvents(): Promise<number> {
    const [row] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::integer AS count FROM events',
    );
    return row.count;
  }

  /** Kills one process after the other while there are writers, and stops all who send now and then, until both counts are reached. */
  async function killAndWait(): Promise<void> {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(200 + Math.random() * 300);
      await (await (kill % 2 === 0 ? apis : senders).anyOne()).kill();
      if (kill === 8) await stopInTurn();
    }
    while ((await countEvents()) < EVENTS) await sleep(100);
  }

  let stops = 0;

  /** Each who sends sleeps for longer than its lease: one of them had the receiver, and somebody else has it when it wakes. */
  async function stopInTurn(): Promise<void> {
    await senders.anyOne();
    for (const { pid } of senders.up()) {
      process.kill(pid, 'SIGSTOP');
      stops += 1;
      await sleep(1.5 * leaseMs);
      process.kill(pid, 'SIGCONT');
    }
  }

  it('"0 missing, 0 twice in the feed, order per task 100 %; every event delivered at least once, ids stable"', async () => {
    const webhook = { id: 'told', url: told.url, events: ['task.created', 'task.updated'] };
    expect(await send('POST', '/api/v1/webhooks', webhook)).toMatchObject({ body: { id: 'told' } });
    let isOver = false;
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, () => isOver)));
    let hasEnded = false;
    const following = [1000, 100].map((limit) => follow(limit, () => hasEnded));
    // Who follows ends before its time only where it is told something wrong.
    await Promise.race([killAndWait(), Promise.all(following)]).finally(() => (isOver = true));
    const acknowledged = (await writing).flat();
    hasEnded = true;

    const events = await readAll();
    const ids = events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = new Set(ids);
    expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
    expect(versionsOf(events)).toEqual(await versionsOfTasks());
    for (const follower of following) expect(await follower).toEqual(ids);

    await until('all of it', () => new Set(told.came.map(({ id }) => id)).size >= known.size);
    expect(new Set(told.came.map(({ id }) => id))).toEqual(known);
    expect(versionsOf(firstOf(told.came))).toEqual(versionsOf(events));
    // One that is stopped between its last look at the clock and what it sends then sends it when it wakes.
    expect(told.twiceAtOnce()).toBeLessThanOrEqual(stops);
  });

  /** All that the feed tells, by a service that nobody kills. */
  async function readAll(): Promise<Envelope[]> {
    const api = service.client(key);
    const all: Envelope[] = [];
    for (let path: string | undefined = feed; path !== undefined;) {
      const answer: Response = await api.get(path).expect(200);
      const events = answer.body as Envelope[];
      all.push(...events);
      path = events.length === 0 ? undefined : nextOf(answer.headers);
    }
    return all;
  }

  /** Every version that each task has had. */
  async function versionsOfTasks(): Promise<Map<string, number[]>> {
    const rows = await service.dataSource.query<{ id: string; version: number }[]>('SELECT unique_value AS id, version FROM tasks'); // prettier-ignore
    return new Map(rows.map(({ id, version }) => [id, Array.from({ length: version }, (_, at) => at + 1)]));
  }
});

function nextOf(headers: Readonly<Record<string, unknown>> = {}): string | undefined {
  const [, address] = /<(.+)>/.exec(String(headers['link'])) ?? [];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** Each event as it came first. */
function firstOf(came: readonly Envelope[]): Envelope[] {
  const first = new Map<string, Envelope>();
  for (const event of came) if (!first.has(event.id)) first.set(event.id, event);
  return [...first.values()];
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
