import { eventSweep } from '../../src/jobs/kinds/event-sweep.js';
import { JobParts } from '../../src/jobs/job-parts.js';
import { Metrics } from '../../src/ops/metrics.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

// time.md, 1: reads of what followers make say `as_of`, and with `Prefer: wait=5` they answer when the followers have passed all
// that was committed before the request. Retention waits for followers.
const tickets = '/api/v1/workflows/tickets/tasks';
const reads = [`${tickets}/1/clocks`, `${tickets}/1/runs`, '/api/v1/workflows/tickets/rules/fill/runs'];
const definition = `
workspace: { id: acme, name: Acme }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
    actions:
      - { id: fill, name: Fill, steps: [{ name: Fill, type: update_fields, set: { Note: filled } }] }
    clocks: [{ id: answer, starts: { stages: [New] }, budget: 3 days, rungs: [] }]
    rules: [{ id: fill, on: created, run: fill }]
`;

let service: TestService;
let api: Client;
afterEach(() => service.stop());

async function start(environment = {}): Promise<void> {
  service = await startService(environment);
  await service.apply(definition);
  api = service.client(await service.key('acme'));
}

/** Lets nobody follow for an hour. */
async function holdFollowers(): Promise<void> {
  const hold = `UPDATE followers SET lease_until = clock_timestamp() + interval '1 hour', fence = fence + 1`;
  await service.dataSource.query(hold);
}

const behind = async (asOf: unknown): Promise<string[]> => {
  const { body } = await api.get(`/api/v1/events?_after=${String(asOf)}`).expect(200);
  return (body as { type: string }[]).map(({ type }) => type);
};

/** Waits until what the rule starts has ended, and is followed, too. */
async function settled(): Promise<void> {
  const pending = `SELECT FROM executions WHERE status = 'Pending'`;
  const isFollowed = async (): Promise<boolean> =>
    (await behind((await api.get(reads[0] ?? '')).headers['as-of'])).length === 0;
  await until(
    'all is followed and done',
    async () =>
      (await isFollowed()) &&
      (await service.dataSource.query<unknown[]>(pending)).length === 0 &&
      (await isFollowed()),
  );
}

it('with Prefer: wait they answer when all that was committed before is followed', async () => {
  await start();
  for (let n = 1; n <= 5; n += 1) {
    await api.post(tickets, { ID: `${n}` }).expect(201);
    const clocks = await api.get(`${tickets}/${n}/clocks`).set('Prefer', 'wait=20').expect(200);
    expect(clocks.body).toMatchObject([{ id: 'answer', state: 'running' }]);
    expect(clocks.headers['preference-applied']).toBe('wait=20');
    const runs = await api.get(`${tickets}/${n}/runs`).set('Prefer', 'wait=20').expect(200);
    expect(runs.body).toHaveLength(1);
  }
});

it('As-Of is a cursor of the feed: what is behind it is not in the answer', async () => {
  await start();
  await api.post(tickets, { ID: '1' }).expect(201);
  for (const path of reads) await api.get(path).set('Prefer', 'wait=20').expect(200);
  await settled();
  await holdFollowers();
  await api.put(tickets, { ID: '1', Note: 'x' }).expect(200);
  for (const path of reads) {
    const { headers } = await api.get(path).set('Prefer', 'wait=1').expect(200);
    expect(await behind(headers['as-of'])).toEqual(['task.updated']);
  }
});

it('many who wait hold no connection', async () => {
  await start({ WTS_POOL_SIZE: '2' });
  await api.post(tickets, { ID: '1' }).expect(201);
  await api.get(`${tickets}/1/clocks`).set('Prefer', 'wait=20').expect(200);
  await holdFollowers();
  await api.put(tickets, { ID: '1', Note: 'x' }).expect(200);
  const waiting = Array.from({ length: 30 }, () =>
    api.get(`${tickets}/1/clocks`).set('Prefer', 'wait=5').expect(200),
  );
  const all = Promise.all(waiting);
  for (let n = 0; n < 10; n += 1) await api.get(`${tickets}/1`).expect(200);
  await service.dataSource.query('UPDATE followers SET lease_until = NULL');
  await all;
});

describe('WTS_EVENT_DAYS', () => {
  const sweep = (): Promise<void> => eventSweep.sweep(service.app.get(JobParts, { strict: false }));
  const counted = async (): Promise<number> => {
    const [row] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::integer AS count FROM events',
    );
    return row.count;
  };
  const age = (days: number): Promise<unknown> =>
    service.dataSource.query(`UPDATE events SET happened_at = now() - make_interval(days => ${days})`);

  it('waits for followers, until events are twice as old: then they go, with an alarm', async () => {
    await start({ WTS_EVENT_DAYS: '30' });
    await holdFollowers();
    await api.post(tickets, { ID: '1' }).expect(201);
    const all = await counted();
    await age(31);
    await sweep();
    expect(await counted()).toBe(all);
    await age(61);
    await sweep();
    expect(await counted()).toBe(0);
    expect(await service.app.get(Metrics).text()).toMatch(/^wts_events_dropped_unread_total [1-9]/m);
    // Whoever follows goes on behind them.
    await service.dataSource.query('UPDATE followers SET lease_until = NULL');
    await api.post(tickets, { ID: '2' }).expect(201);
    const { body } = await api.get(`${tickets}/2/clocks`).set('Prefer', 'wait=20').expect(200);
    expect(body).toHaveLength(1);
  });

  it('drops what is followed when it is old enough, without one', async () => {
    await start({ WTS_EVENT_DAYS: '30' });
    await api.post(tickets, { ID: '1' }).expect(201);
    await api.get(`${tickets}/1/runs`).set('Prefer', 'wait=20').expect(200);
    await settled();
    await holdFollowers();
    await age(31);
    await sweep();
    expect(await counted()).toBe(0);
    expect(await service.app.get(Metrics).text()).toMatch(/^wts_events_dropped_unread_total 0/m);
  });
});
