import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { deriveClocks } from '../../src/clocks/derive-clocks.js';
import { Metrics } from '../../src/ops/metrics.js';
import { Workspaces } from '../../src/workspace/workspaces.js';
import { type MovedClock, movedClock } from '../support/moved-clock.js';
import { type OtherProcess, startOtherProcess } from '../support/other-process.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

// time.md, 7: what goes wrong elsewhere with deadlines. Each rung is done once, and an end that has come is not forgotten.
const HOUR = 3_600_000;
const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (clocks: string, hours = '"09:00-17:00"', slug = 'acme'): string => `
workspace: { id: ${slug}, name: Acme, timezone: Europe/Berlin }
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-sun: [${hours}] } }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Nudges, type: number, default: 0 }
    actions:
      - { id: nudge, name: Nudge, steps: [{ name: Add, type: update_fields, set: { Nudges: { expression: 'task["Nudges"] + 1' } } }] }
    clocks: [${clocks}]
`;
const answer = (budget: string, more = ''): string =>
  `{ id: answer, starts: { stages: [New] }, pauses: { stages: [Waiting] }, budget: ${budget}, rungs: [{ at: 100%, run: nudge }]${more} }`;

let clock: MovedClock;
let service: TestService;
let api: Client;
let worker: OtherProcess | undefined;
afterEach(async () => {
  await worker?.kill();
  worker = undefined;
  await service.stop();
  await clock.remove();
});

async function start(clocks: string, begin: Date | number = 0, environment = {}): Promise<void> {
  clock = await movedClock(begin);
  service = await startService({ ...clock.environment, ...environment });
  await service.apply(definition(clocks));
  api = service.client(await service.key('acme'));
}

async function startWorker(): Promise<void> {
  worker = await startOtherProcess(service.config.databaseUrl ?? '', {
    ...clock.environment,
    WTS_BLOB_STORE: service.config.blobStore ?? '',
    WTS_ROLE: 'worker',
  });
}

interface Clock {
  readonly state: string;
  readonly due_at: string | null;
  readonly consumed: string;
}

const clocksOf = async (id: string): Promise<Clock[]> =>
  (await api.get(`${tickets}/${id}/clocks`).expect(200)).body as Clock[];

async function clockWhen(id: string, isSo: (clock: Clock) => boolean): Promise<Clock> {
  let found: Clock | undefined;
  await until(`a clock of ${id}`, async () => {
    found = (await clocksOf(id)).find(isSo);
    return found !== undefined;
  });
  if (!found) throw new Error('no clock');
  return found;
}

const nudges = async (id: string): Promise<unknown> =>
  ((await api.get(`${tickets}/${id}`)).body as Record<string, unknown>)['Nudges'];

const runs = async (id: string): Promise<object[]> =>
  (await api.get(`${tickets}/${id}/runs`).expect(200)).body as object[];

const fired = async (): Promise<object[]> =>
  ((await api.get('/api/v1/events?type=clock.fired').expect(200)).body as { data: object }[]).map(
    ({ data }) => data,
  );

it('a worker that is down over a day of 23 hours fires by the time of day, once', async () => {
  await start(answer('2 days'), new Date('2027-03-27T10:00:00Z'), { WTS_ROLE: 'api' });
  await clock.move(service.dataSource, Date.parse('2027-03-27T11:00:00Z') - Date.now());
  await api.post(tickets, { ID: '1' }).expect(201);
  await clock.move(service.dataSource, Date.parse('2027-03-29T10:30:00Z') - Date.now());
  await startWorker();
  await until('it fires', async () => (await nudges('1')) === '1');
  // Noon in Berlin is 11:00 UTC on Saturday, and 10:00 UTC on Monday.
  const [event] = (await fired()) as { clock: { due_at: string } }[];
  expect(event?.clock.due_at.slice(0, 16)).toBe('2027-03-29T10:00');
  expect(await runs('1')).toMatchObject([{ result: 'started' }]);
});

it('a time that goes back two hours delays, and doubles nothing', async () => {
  await start(answer('3 hours'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await clockWhen('1', ({ state }) => state === 'running');
  await clock.move(service.dataSource, 3.1 * HOUR);
  await until('it fires', async () => (await nudges('1')) === '1');
  await api.post(tickets, { ID: '2' }).expect(201);
  await clockWhen('2', ({ state }) => state === 'running');
  await clock.move(service.dataSource, 1.1 * HOUR);
  await api.post(tickets, { ID: '2', Stage: 'Waiting' }).expect(200);
  await clockWhen('2', ({ state }) => state === 'paused');
  await api.post(tickets, { ID: '2', Stage: 'New' }).expect(200);
  const { consumed } = await clockWhen('2', ({ state }) => state === 'running');
  expect(consumed).toMatch(/^PT\d/);
  await clock.move(service.dataSource, 6.5 * HOUR);
  await until('the other fires', async () => (await nudges('2')) === '1');
  expect(await nudges('1')).toBe('1');
  expect(await runs('1')).toHaveLength(1);
  expect(await runs('2')).toHaveLength(1);
});

it('a task that is approved after its deadline while the worker is down is breached, and not escalated', async () => {
  await start(answer('10 hours'), 0, { WTS_ROLE: 'api' });
  await api.post(tickets, { ID: '1' }).expect(201);
  await clock.move(service.dataSource, 11 * HOUR);
  await api.post(tickets, { ID: '1', Stage: 'Done' }).expect(200);
  await clock.move(service.dataSource, 12 * HOUR);
  // Another one that waits for a worker: an operator sees it in the metrics.
  const timer = { action_id: 'nudge', after: '1 hour' };
  const { body } = await api.post(`${tickets}/1/timers`, timer).expect(201);
  await clock.move(service.dataSource, 14 * HOUR);
  // The process moves its own time when that of the database has moved.
  await until('the metric tells of it', async () => {
    const told = await service.app.get(Metrics, { strict: false }).text();
    return Number(/wts_due_oldest_seconds\{kind="timer"\} (.*)/.exec(told)?.[1]) > 3000;
  });
  await api.delete(`${tickets}/1/timers/${(body as { id: string }).id}`).expect(204);
  await startWorker();
  await clockWhen('1', ({ state }) => state === 'breached');
  expect(await runs('1')).toMatchObject([{ result: 'skipped', execution: null }]);
  expect(await nudges('1')).toBe('0');
});

it('a calendar that changes under a running clock counts from the apply on', async () => {
  const clocks = answer('8 working_hours', ', calendar: office');
  await start(clocks, new Date('2026-12-01T07:55:00Z'));
  await api.post(tickets, { ID: '1' }).expect(201);
  const before = await clockWhen('1', ({ state }) => state === 'running');
  expect(before.due_at?.slice(0, 16)).toBe('2026-12-01T16:00');
  await clock.move(service.dataSource, Date.parse('2026-12-01T12:00:00Z') - Date.now());
  await service.apply(definition(clocks, '"09:00-15:00"'));
  // Four hours are consumed, two are left today and two of tomorrow.
  const after = await clockWhen('1', ({ due_at }) => due_at !== before.due_at);
  expect([after.due_at?.slice(0, 15), after.consumed.slice(0, 4)]).toEqual(['2026-12-02T10:0', 'PT4H']);
});

it('clocks whose tasks others hold hide none that can fire', async () => {
  await start(answer('3 hours'));
  const headers = {
    Authorization: `Bearer ${await service.key('acme')}`,
    'Content-Type': 'application/json',
  };
  const rows = Array.from({ length: 120 }, (_, n) => ({ ID: `held-${n}` }));
  const body = JSON.stringify(rows);
  await (await fetch(`${service.url}${tickets}/batch`, { method: 'POST', headers, body })).text();
  await clockWhen('held-119', ({ state }) => state === 'running');
  await api.post(tickets, { ID: 'free' }).expect(201);
  await clockWhen('free', ({ state }) => state === 'running');
  const holder = service.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`SELECT FROM tasks WHERE unique_value LIKE 'held-%' FOR UPDATE`);
  await clock.move(service.dataSource, 4 * HOUR);
  await until('the free one fires', async () => (await nudges('free')) === '1');
  await holder.rollbackTransaction();
  await holder.release();
  await until('all have fired', async () => (await fired()).length === 121);
});

// Rule: whoever writes clocks holds their tasks, and whoever locks several tasks does so in the order of their ids.
it('follower, firing and writers of many tasks at once never stand in a circle', async () => {
  await start(answer('3 hours', ', again: restart'), 0, { WTS_LEASE_MS: '60000' });
  const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
  for (const ID of ids) await api.post(tickets, { ID }).expect(201);
  const key = await service.key('acme');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const send = async (order: readonly string[], Stage: string): Promise<void> => {
    const body = JSON.stringify(order.map((ID) => ({ ID, Stage })));
    await (await fetch(`${service.url}${tickets}/batch`, { method: 'POST', headers, body })).text();
  };
  for (let round = 1; round <= 15; round += 1) {
    await clock.move(service.dataSource, round * 4 * HOUR);
    await Promise.all([send(ids, 'Waiting'), send([...ids].reverse(), 'Done')]);
    await Promise.all([send(ids, 'New'), send([...ids].reverse(), 'New')]);
  }
  await until('all are followed', async () => {
    const [row] = await service.dataSource.query<[{ behind: number }]>(
      `SELECT (SELECT last_position FROM event_streams) - position AS behind FROM followers`,
    );
    return String(row.behind) === '0';
  });
  const [row] = await service.dataSource.query<[{ deadlocks: string }]>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(row.deadlocks).toBe('0');
});

it('a workspace whose clocks cannot be derived keeps no other from it', async () => {
  await start('');
  await service.apply(definition('', undefined, 'other'));
  const other = service.client(await service.key('other'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await other.post(tickets, { ID: '1' }).expect(201);
  for (const command of [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
    `CREATE TRIGGER refuse BEFORE INSERT ON clocks FOR EACH ROW WHEN (NEW.workspace_id = 1) EXECUTE FUNCTION refuse()`,
  ])
    await service.dataSource.query(command);
  await service.apply(definition(answer('3 hours')));
  await service.apply(definition(answer('3 hours'), undefined, 'other'));
  await until('the other has its clock', async () => {
    const { body } = (await other.get(`${tickets}/1/clocks`)) as { body: unknown[] };
    return body.length === 1;
  });
  await service.dataSource.query('DROP TRIGGER refuse ON clocks');
  await clockWhen('1', ({ state }) => state === 'running');
});

it('a change that is applied while clocks are derived under the definition before is not lost', async () => {
  await start(answer('3 hours'), 0, { WTS_ROLE: 'api' });
  const [dataSource, workspaces] = [service.app.get(DataSource), service.app.get(Workspaces)];
  const former = await workspaces.get(1);
  await service.apply(definition(answer('4 hours')));
  jest.spyOn(workspaces, 'inForce').mockResolvedValueOnce(former);
  const changesBehind = async (): Promise<number> => {
    await deriveClocks(dataSource, workspaces, () => false);
    return (await service.dataSource.query<unknown[]>('SELECT FROM clock_changes')).length;
  };
  expect(await changesBehind()).toBe(1);
  expect(await changesBehind()).toBe(0);
});
