import { followCommand } from '../../src/cli/follow.command.js';
import { type MovedClock, movedClock } from '../support/moved-clock.js';
import { wts } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

// time.md, 1: projections can be rebuilt from the record. A rebuild starts and sends nothing.
const HOUR = 3_600_000;
const tickets = '/api/v1/workflows/tickets/tasks';
const stages = ['New', 'Review', 'Waiting', 'Done'];

const definition = (clocks: readonly string[], hours = '"09:00-17:00"'): string => `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@acme.test }]
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-sun: [${hours}] } }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Close By, type: datetime }
      - { name: Nudges, type: number, default: 0 }
    actions:
      - { id: nudge, name: Nudge, steps: [{ name: Add, type: update_fields, set: { Nudges: { expression: 'task["Nudges"] + 1' } } }] }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]
    clocks: [${clocks.join(', ')}]
`;
const rungs = 'rungs: [{ at: 50%, run: nudge }, { at: 100%, run: nudge, repeat: 1 hour, times: 2 }]';
const review = (budget: string): string =>
  `{ id: review, starts: { stages: [Review] }, pauses: { stages: [Waiting] }, budget: { field: Risk, of: { High: 2 hours }, else: ${budget} }, again: continue, ${rungs} }`;
const work = `{ id: work, starts: { stages: [New] }, budget: 6 working_hours, calendar: office, ${rungs} }`;
const close = '{ id: close, due: { field: Close By }, rungs: [{ at: -1 hours, run: nudge }, { at: 100% }] }';

let ahead: number;
let clock: MovedClock;
let service: TestService;
let api: Client;
beforeEach(async () => {
  ahead = Date.parse('2026-12-01T08:00:00Z') - Date.now();
  clock = await movedClock(ahead);
  service = await startService(clock.environment);
});
afterEach(async () => {
  await service.stop();
  await clock.remove();
});

async function start(clocks: readonly string[]): Promise<void> {
  await service.apply(definition(clocks));
  api = service.client(await service.key('acme'));
}

const rebuild = async (name = 'clocks', ...more: string[]): ReturnType<typeof wts> =>
  wts(followCommand(), ['rebuild', name, ...more], service.config.databaseUrl ?? '');

// By which definition a row was folded last, and behind which event, is no part of what it tells.
const table = (): Promise<object[]> =>
  service.dataSource.query(`
    SELECT t.unique_value, c.clock_id, c.state, c.due_at, c.next_at, c.row::jsonb - 'definition' AS row
    FROM clocks c JOIN tasks t ON t.id = c.task_id ORDER BY t.unique_value, c.clock_id`);

const records = (): Promise<object[]> =>
  service.dataSource.query(
    'SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM executions) AS executions',
  );

async function quiet(): Promise<void> {
  const isQuiet = `
    SELECT (SELECT last_position FROM number_events(1)) = (SELECT min(position) FROM followers)
      AND NOT EXISTS (SELECT FROM clock_changes) AND NOT EXISTS (SELECT FROM clocks WHERE next_at <= service_now())
      AND NOT EXISTS (SELECT FROM executions WHERE status = 'Pending') AS is`;
  await until('all is done', async () => {
    const [row] = await service.dataSource.query<[{ is: boolean }]>(isQuiet);
    return row.is;
  });
}

const sameInstants = `
  UPDATE tasks t SET stage_at = e.happened_at FROM events e
  WHERE e.task_id = t.id AND e.version = t.version_offset + t.stage_version AND e.stage_to IS NOT NULL`;

/** Numbers that are the same in every run. */
function* random(): Generator<number> {
  for (let state = 7; ;) {
    state = (state * 48_271) % 2_147_483_647;
    yield state;
  }
}

// Rule: the test oracle is that equality.
it('a rebuild is what the table is, also where the table is empty; it starts nothing', async () => {
  const clocks = [review('10 hours'), close];
  await start(clocks);
  const numbers = random();
  const next = (below: number): number => (numbers.next().value as number) % below;
  for (let round = 0; round < 12; round += 1) {
    for (let edit = 0; edit < 8; edit += 1) {
      const closeBy = new Date(Date.now() + ahead + (next(8) - 2) * HOUR).toISOString();
      const changes = [
        { Stage: stages[next(4)] },
        { Risk: ['Low', 'High', null][next(3)] },
        { 'Close By': [closeBy, null][next(2)] },
        { Stage: stages[next(3)], Risk: 'High' },
      ];
      await api.post(tickets, { ID: `${next(6)}`, ...changes[next(4)] });
    }
    // By whole hours from the beginning on, so that nothing is due in the moments behind a move.
    ahead += (1 + next(5)) * HOUR;
    await clock.move(service.dataSource, ahead);
    await quiet();
    // A task and its event tell the instant of a stage change each by itself, perhaps a millisecond apart.
    if (round === 3) await service.dataSource.query(sameInstants);
    if (round === 3) await service.apply(definition([review('4 hours'), close, work]));
    await quiet();
    if (round === 6) await service.apply(definition([review('8 hours'), close, work], '"10:00-15:00"'));
    await quiet();
  }
  await quiet();
  const [before, recorded] = [await table(), await records()];
  expect(before.length).toBeGreaterThan(12);
  expect(await rebuild()).toMatchObject({ code: 0, out: 'acme: rebuilt clocks of 6 tasks\n' });
  expect(await table()).toEqual(before);
  await service.dataSource.query('DELETE FROM clocks');
  await rebuild('clocks', '--workspace', 'acme');
  expect(await table()).toEqual(before);
  await quiet();
  expect(await records()).toEqual(recorded);
});

it('an event that was set aside breaks its task: its clocks do not fire until it is rebuilt', async () => {
  await start([review('10 hours')]);
  for (const ID of ['good', 'bad']) await api.post(tickets, { ID, Stage: 'Review' }).expect(201);
  await quiet();
  for (const command of [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
    `CREATE TRIGGER refuse BEFORE UPDATE ON clocks FOR EACH ROW
       WHEN (NEW.row ->> 'state' <> OLD.row ->> 'state') EXECUTE FUNCTION refuse()`,
  ])
    await service.dataSource.query(command);
  await api.post(tickets, { ID: 'bad', Stage: 'Done' }).expect(200);
  const aside = 'SELECT follower, cause FROM events_set_aside';
  await until('it is set aside', async () => (await service.dataSource.query<object[]>(aside)).length === 1);
  await service.dataSource.query('DROP TRIGGER refuse ON clocks');
  expect(await service.dataSource.query(aside)).toEqual([{ follower: 'clocks', cause: 'no' }]);
  const admin = await signIn(service, 'mina@acme.test');
  expect((await admin.get('/admin')).html.querySelector('.notice.bad')?.text).toBe(
    'clocks: 1 event could not be processed and was set aside (no). Fix the cause, then run wts follow rebuild clocks.',
  );
  await clock.move(service.dataSource, Date.parse('2026-12-01T19:30:00Z') - Date.now());
  const nudges = async (id: string): Promise<unknown> =>
    ((await api.get(`${tickets}/${id}`)).body as Record<string, unknown>)['Nudges'];
  await until('the good one fires', async () => (await nudges('good')) === '3');
  expect(await nudges('bad')).toBe('0');
  await rebuild();
  expect(await service.dataSource.query(aside)).toEqual([]);
  const { body } = await api.get(`${tickets}/bad/clocks`).expect(200);
  expect(body).toMatchObject([{ state: 'met' }]);
  expect(await nudges('bad')).toBe('0');
});

it('leaves clocks as they are of tasks whose creation is no longer kept', async () => {
  await start([review('10 hours')]);
  await api.post(tickets, { ID: '1', Stage: 'Review' }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Waiting' }).expect(200);
  await quiet();
  const before = await table();
  await service.dataSource.query(`DELETE FROM events WHERE type = 'task.created'`);
  await rebuild();
  expect(await table()).toEqual(before);
});

it('knows what there is to rebuild, and in which workspaces', async () => {
  await start([review('10 hours')]);
  expect(await rebuild('rules')).toMatchObject({ code: 1, err: expect.stringContaining('clocks') as string });
  expect(await rebuild('clocks', '--workspace', 'acne')).toMatchObject({ code: 1, err: expect.stringContaining('There is no workspace "acne"') as string }); // prettier-ignore
});

it('clocks of tasks that came behind an apply follow from their events, also where the apply is worked off later', async () => {
  await start([review('10 hours')]);
  await quiet();
  const { dataSource } = service;
  await dataSource.query(
    `UPDATE followers SET fence = fence + 1, lease_until = 'infinity' WHERE name = 'clocks'`,
  );
  await api.post(tickets, { ID: '1', Risk: 'Low', Stage: 'Review' }).expect(201);
  await api.post(tickets, { ID: '1', Risk: 'High' }).expect(200);
  await api.post(tickets, { ID: '1', Stage: 'Waiting' }).expect(200);
  await api.post(tickets, { ID: '1', Stage: 'Review' }).expect(200);
  await dataSource.query(`
    INSERT INTO clock_changes (workspace_id, workflow_id, version, fires_overdue, changed_at)
    SELECT w.workspace_id, w.id, v.version, false, v.applied_at FROM workflows w
    JOIN definition_versions v ON v.workspace_id = w.workspace_id ORDER BY v.version DESC LIMIT 1`);
  const derived = 'SELECT NOT EXISTS (SELECT FROM clock_changes) AS is';
  await until('it is derived', async () => (await dataSource.query<[{ is: boolean }]>(derived))[0].is);
  const before = await table();
  expect(before).toMatchObject([{ state: 'running', row: { pauses: [{ stage: 'Waiting' }] } }]);
  await dataSource.query(`UPDATE followers SET lease_until = NULL WHERE name = 'clocks'`);
  await quiet();
  expect(await table()).toEqual(before);
  await rebuild();
  expect(await table()).toEqual(before);
});
