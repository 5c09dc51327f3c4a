import { createApiKey } from '../../src/auth/api-keys.js';
import { WorkspaceEntity } from '../../src/entities/workspace.entity.js';
import { dropEvents } from '../../src/events/events.repository.js';
import { sealCursor } from '../../src/http/cursor.js';
import { type Ask, asker } from '../ask.js';
import { tasksPath } from '../cases.js';
import { type AtEnd } from '../lifetime.js';
import { type Bench } from '../open-bench.js';
import { startTarget, type Target } from '../target.js';
import { followStreams, timeLongPolls } from './following.js';
import { percentileOf, readFeed, timePages } from './reading.js';
import { type Row } from './report.js';
import { timeDeliveries } from './sending.js';

/** Yields one measurement after the other. */
export async function* measureEvents(bench: Bench, atEnd: AtEnd): AsyncGenerator<Row> {
  const env = { DATABASE_URL: bench.url, WTS_OUTBOUND_ALLOW: '127.0.0.1/32' };
  const start = (): Promise<Target> => startTarget({ name: 'service', program: 'src/main.js', env }, atEnd);
  // A service that has just started: memory that it reserved earlier would hide the growth.
  const fresh = await start();
  yield* followed(fresh, bench);
  await fresh.stop();
  const service = await start();
  yield rate(await readFeed(service, bench.ask, 10));
  yield* pages(service, bench);
  yield* latency(await timeLongPolls(service, bench.ask, 200));
  const perSecond = await timeDeliveries(bench, await adminOf(bench), service, 5000, atEnd);
  yield row('deliveries to a receiver on the same machine', perSecond, '/s', { least: 500 });
  yield* dropped(bench);
}

/** A result with its limit: at least or at most. */
function row(what: string, value: number, unit: string, { least = -Infinity, most = Infinity }): Row {
  const limit = least > -Infinity ? `at least ${least}${unit}` : `at most ${most}${unit}`;
  const wanted = least === -Infinity && most === Infinity ? '' : limit;
  const isReached = value >= least && value <= most;
  return { what, measured: `${value.toFixed(value < 100 ? 1 : 0)}${unit}`, wanted, isReached };
}

async function* followed(service: Target, bench: Bench): AsyncGenerator<Row> {
  const { growth, seconds } = await followStreams(service, bench, 1000, 20);
  yield row('1,000 followers of a stream, on the memory of the service', growth / 1e6, ' MB', { most: 50 });
  yield row('until all of them are told of 20 events', seconds, ' s', {});
}

function rate({ events, seconds, processor }: Awaited<ReturnType<typeof readFeed>>): Row {
  const what = `reading the feed in pages of 1,000 (${processor.toFixed(0)} µs of the service's processor time for an event)`;
  return row(what, events / seconds, '/s', { least: 20_000 });
}

function* latency(times: readonly number[]): Generator<Row> {
  const what = 'from the answer of a write to that of a long poll';
  yield row(`${what}, p50`, percentileOf(times, 50), ' ms', { most: 30 });
  yield row(`${what}, p99`, percentileOf(times, 99), ' ms', { most: 250 });
}

async function* pages(service: Target, bench: Bench): AsyncGenerator<Row> {
  const admin = await adminOf(bench);
  const of = async (what: string, paths: readonly string[]): Promise<Row> => {
    const times = await timePages(service, admin, paths);
    return row(`${what}, p95`, percentileOf(times, 95), ' ms', { most: 20 });
  };
  yield of('a page of the feed', await feedPages(bench));
  yield of("a page of a task's history", await historyPages(bench));
  yield of('a page of deliveries', await deliveryPages(bench));
  yield of('a page of failed deliveries', await deliveryPages(bench, 'failed'));
  yield of('a page of delivered ones', await deliveryPages(bench, 'delivered'));
}

/** The time of one statement of the sweep when everything has expired: it drops 100 chunks, mostly of 1,000 events. */
async function* dropped({ dataSource }: Bench): AsyncGenerator<Row> {
  const { id } = await dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'bench' });
  const times: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const begun = performance.now();
    await dropEvents(dataSource.manager, id, 1);
    times.push((performance.now() - begun) / 1000);
  }
  yield row('dropping the oldest 100,000 events, the longest of three times', Math.max(...times), ' s', {});
}

const PAGES = 200;

async function adminOf({ dataSource }: Bench): Promise<Ask> {
  const { id } = await dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'bench' });
  const about = { workspaceId: id, name: 'admin', scope: 'admin', expiresAt: null } as const;
  return asker(await createApiKey(dataSource.manager, about));
}

async function feedPages(bench: Bench): Promise<string[]> {
  const { rows } = await bench.db.query<{ position: string; tag: number }>(
    'SELECT last_position AS position, tag FROM event_chunks ORDER BY random() LIMIT $1',
    [PAGES],
  );
  const seal = await sealerOf(bench);
  return rows.map(
    ({ position, tag }) => `/api/v1/events?_limit=100&_after=${seal(['events'], position, String(tag))}`,
  );
}

async function historyPages({ db }: Bench): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT unique_value AS id FROM tasks WHERE unique_value LIKE 'C-%' ORDER BY random() LIMIT $1`,
    [PAGES],
  );
  return rows.map(({ id }) => `${tasksPath}/${id}/history?_limit=100`);
}

async function deliveryPages(bench: Bench, state?: string): Promise<string[]> {
  const { rows } = await bench.db.query<{ place: string }>(
    'SELECT (random() * last)::bigint AS place FROM generate_series(1, $1), (SELECT max(place) AS last FROM webhook_deliveries) m',
    [PAGES],
  );
  const seal = await sealerOf(bench);
  const path = `/api/v1/webhooks/filled/deliveries?_limit=100${state === undefined ? '' : `&state=${state}`}`;
  return rows.map(({ place }) => `${path}&_after=${seal(['deliveries', 'filled', state], place)}`);
}

/** Writes cursors as the service does: following links into the middle of ten million events would take long. */
async function sealerOf({
  dataSource,
}: Bench): Promise<(list: readonly unknown[], ...position: string[]) => string> {
  const { cursorKey } = await dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'bench' });
  return (list, ...position) => sealCursor({ cursorKey, id: 0 }, list, position);
}
