import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { upTo } from '../support/effort.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { definition, type Envelope, until } from '../webhooks/webhooks.js';
import { Fleet, patchedProject } from './fleet.js';

const tasks = '/api/v1/workflows/vendors/tasks';
const KILLS = upTo(20, 10);
const WRITERS = 8;

jest.setTimeout(600_000);

/** Who is told: keeps the order in which events came, and notices one that comes while it is being answered. */
async function startTold(): Promise<Told> {
  const came: Envelope[] = [];
  const inHand = new Set<string>();
  let twiceAtOnce = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const id = String(request.headers['webhook-id']);
    if (inHand.has(id)) twiceAtOnce += 1;
    inHand.add(id);
    response.on('close', () => inHand.delete(id));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      came.push(JSON.parse(Buffer.concat(chunks).toString()) as Envelope);
      setTimeout(() => response.end(), Math.random() * 20);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    came,
    twiceAtOnce: () => twiceAtOnce,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Told {
  readonly url: string;
  readonly came: readonly Envelope[];
  twiceAtOnce(): number;
  stop(): void;
}

describe('webhooks while their senders are killed', () => {
  let service: TestService;
  let api: Client;
  let told: Told;
  let senders: Fleet;
  let patched: string | undefined;

  beforeAll(async () => {
    told = await startTold();
    service = await startService({ WTS_ROLE: 'api' });
    await service.apply(definition);
    api = service.client(await service.key('acme', 'admin'));
    const sabotage = process.env['WTS_SABOTAGE'];
    if (sabotage !== undefined) patched = await patchedProject([sabotage]);
    const environment = {
      WTS_ROLE: 'worker',
      WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
      WTS_WEBHOOK_DELAYS: '0,0.2,0.2,0.2,0.2,0.2',
      WTS_LEASE_MS: '1000',
      WTS_LOG_LEVEL: 'silent',
      WTS_BLOB_STORE: service.config.blobStore ?? '',
    };
    senders = new Fleet(service.config.databaseUrl ?? '', environment, patched);
    await senders.start(2);
  });
  afterAll(async () => {
    await senders.stop();
    await service.stop();
    told.stop();
    if (patched !== undefined) await rm(patched, { recursive: true });
  });

  /** Makes tasks and changes each twice until it is told to stop. */
  async function write(writer: number, isOver: () => boolean): Promise<void> {
    for (let count = 0; !isOver(); count += 1) {
      const ID = `${writer}-${count}`;
      await api.post(tasks, { ID }).expect(201);
      for (const Value of [1, 2]) await api.put(tasks, { ID, Value }).expect(200);
      await sleep(20);
    }
  }

  it('"every event delivered at least once, ids stable", "order per task 100 %", by one sender at a time', async () => {
    const events = ['task.created', 'task.updated'];
    await api.post('/api/v1/webhooks', { id: 'told', url: told.url, events }).expect(201);
    let isOver = false;
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, () => isOver)));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(1500);
      await (await senders.anyOne()).kill();
    }
    await sleep(500);
    isOver = true;
    await writing;
    const expected = await feed();
    const ids = new Set(expected.map(({ id }) => id));
    await until('all of it', () => new Set(told.came.map(({ id }) => id)).size >= ids.size);
    expect(new Set(told.came.map(({ id }) => id))).toEqual(ids);
    expect(versionsOf(firstOf(told.came))).toEqual(versionsOf(expected));
    expect(told.twiceAtOnce()).toBe(0);
    await until('all delivered', async () => {
      const [row] = await service.dataSource.query<{ open: string }[]>(
        `SELECT count(*) AS open FROM webhook_deliveries WHERE state <> 'delivered'`,
      );
      return row?.open === '0';
    });
  });

  /** All that the feed tells. */
  async function feed(): Promise<Envelope[]> {
    const all: Envelope[] = [];
    for (let path = '/api/v1/events?type=task.created&type=task.updated'; ;) {
      const { body, headers } = await api.get(path).expect(200);
      all.push(...(body as Envelope[]));
      if ((body as Envelope[]).length === 0) return all;
      const { pathname, search } = new URL(/<(.+)>/.exec(String(headers['link']))?.[1] ?? '');
      path = pathname + search;
    }
  }
});

/** Each event as it came first. */
function firstOf(came: readonly Envelope[]): Envelope[] {
  return [...new Map(came.toReversed().map((event) => [event.id, event])).values()].toReversed();
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
