import { followCommand } from '../../src/cli/follow.command.js';
import { JobParts } from '../../src/ops/job-parts.js';
import { clockSweep } from '../../src/clocks/clock-changes.job.js';
import { type Ended, wts } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { type Client, type SettleOptions, startService, type TestService } from '../support/service.js';
import {
  clocksIn,
  close,
  definition,
  makeInstantsSame,
  recordsIn,
  review,
  tickets,
  work,
} from './rebuilt.js';
import { testOptions } from '../support/test-options.js';

// time.md, 1: projections can be rebuilt from the record. A rebuild starts and sends nothing.
const HOUR = 3_600_000;

let service: TestService;
let api: Client;
let slug = '';
let made = 0;
beforeAll(async () => {
  service = await startService();
  await service.settle({ at: '2026-12-01T08:00:00Z' });
});
afterAll(() => service.stop());

async function start(...clocks: string[]): Promise<void> {
  slug = `acme-${(made += 1)}`;
  await service.apply(definition(slug, clocks));
  api = service.client(await service.key(slug));
}

const settle = (options: SettleOptions = {}): Promise<void> =>
  service.settle({ workspace: slug, ...options });

const rebuild = (name = 'clocks', workspace = slug): Promise<Ended> =>
  wts(followCommand(), ['rebuild', name, '--workspace', workspace], service.config.databaseUrl ?? '');

const change = (ID: string, values: object): PromiseLike<unknown> => api.post(tickets, { ID, ...values });

// Rule: the test oracle is that equality.
it('a rebuild is what the table is, also where the table is empty; it starts nothing', async () => {
  await start(review('10 hours'), close);
  const at = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();
  await change('paused', { Stage: 'Review', Risk: 'Low', 'Close By': at(3) });
  await change('again', { Stage: 'Review', Risk: 'High' });
  await change('new', { 'Close By': at(9) });
  await change('past', { 'Close By': at(-9) });
  await settle();
  await settle({ after: 2 * HOUR });
  await change('paused', { Stage: 'Waiting', 'Close By': null });
  await change('again', { Stage: 'Done' });
  await settle();
  await makeInstantsSame(service);
  await service.apply(definition(slug, [review('4 hours'), close, work]));
  await settle({ after: 3 * HOUR });
  await change('paused', { Stage: 'Review' });
  await change('again', { Stage: 'Review', Risk: null });
  await settle();
  await service.apply(definition(slug, [review('8 hours'), close, work], '"10:00-15:00"'));
  await settle({ after: 30 * HOUR });
  // Two clocks of a task may be due at once: the second is put off for a moment.
  await settle({ after: 1000 });
  const [before, recorded] = [await clocksIn(service, slug), await recordsIn(service, slug)];
  expect(before).toHaveLength(7);
  expect(await rebuild()).toMatchObject({ code: 0, out: `${slug}: rebuilt clocks of 4 tasks\n` });
  expect(await clocksIn(service, slug)).toEqual(before);
  await service.dataSource.query('DELETE FROM clocks');
  await rebuild();
  expect(await clocksIn(service, slug)).toEqual(before);
  await settle();
  expect(await recordsIn(service, slug)).toEqual(recorded);
});

it('an event that was set aside breaks its task: its clocks do not fire until it is rebuilt', async () => {
  await start(review('10 hours'));
  for (const ID of ['good', 'bad']) await api.post(tickets, { ID, Stage: 'Review' }).expect(201);
  await settle();
  for (const command of [
    `CREATE SEQUENCE tries`,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('tries'); RAISE 'no'; END $$`,
    `CREATE TRIGGER refuse BEFORE UPDATE ON clocks FOR EACH ROW
       WHEN (NEW.row ->> 'state' <> OLD.row ->> 'state') EXECUTE FUNCTION refuse()`,
  ])
    await service.dataSource.query(command);
  await api.post(tickets, { ID: 'bad', Stage: 'Done' }).expect(200);
  await settle();
  await service.dataSource.query('DROP TRIGGER refuse ON clocks');
  const aside = 'SELECT follower, cause FROM events_set_aside';
  expect(await service.dataSource.query(aside)).toEqual([{ follower: 'clocks', cause: 'no' }]);
  expect(await service.dataSource.query('SELECT last_value FROM tries')).toEqual([{ last_value: '3' }]);
  const admin = await signIn(service, `mina@${slug}.test`);
  expect((await admin.get('/admin')).html.querySelector('.notice.bad')?.text).toBe(
    'clocks: 1 event could not be processed and was set aside (no). Fix the cause, then run wts follow rebuild clocks.',
  );
  await settle({ after: 11.5 * HOUR });
  const nudges = async (id: string): Promise<unknown> =>
    ((await api.get(`${tickets}/${id}`)).body as Record<string, unknown>)['Nudges'];
  expect([await nudges('good'), await nudges('bad')]).toEqual(['3', '0']);
  await rebuild();
  expect(await service.dataSource.query(aside)).toEqual([]);
  const { body } = await api.get(`${tickets}/bad/clocks`).expect(200);
  expect(body).toMatchObject([{ state: 'met' }]);
  await settle();
  expect(await nudges('bad')).toBe('0');
});

// Rule: nothing is tried for ever, whatever ends it.
it.each([
  ['a statement that takes too long', `RAISE 'slow' USING ERRCODE = '57014'`, 'slow'],
  [
    'a transaction that PostgreSQL ends because it is idle',
    'PERFORM pg_terminate_backend(pg_backend_pid())',
    'its transaction was idle for more than 0.001 s',
  ],
])('sets an event aside after three times: %s', async (_, statement, cause) => {
  const own = await startService(testOptions({ idleTransactionMs: 1 }));
  try {
    await own.apply(definition('acme', [review('10 hours')]));
    const client = own.client(await own.key('acme'));
    await own.dataSource.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$`,
    );
    await own.dataSource.query(
      'CREATE TRIGGER refuse BEFORE INSERT ON clocks FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    await client.post(tickets, { ID: 'bad', Stage: 'Review' }).expect(201);
    await own.settle({ mayFail: true });
    const aside = 'SELECT follower, cause FROM events_set_aside';
    expect(await own.dataSource.query(aside)).toEqual([{ follower: 'clocks', cause }]);
  } finally {
    await own.stop();
  }
});

it('sets an event aside at which three processes have ended, and follows the one before and after it', async () => {
  await start(review('10 hours'));
  for (const ID of ['good', 'bad', 'last']) await api.post(tickets, { ID, Stage: 'Review' }).expect(201);
  const { dataSource } = service;
  const of = `FROM followers WHERE name = 'clocks' AND workspace_id = (SELECT id FROM workspaces WHERE slug = '${slug}')`;
  const crash = `UPDATE followers SET lease_until = 'epoch' WHERE (workspace_id, name) IN (SELECT workspace_id, name ${of})`;
  await dataSource.query(crash);
  await settle();
  expect(await dataSource.query(`SELECT failures ${of}`)).toEqual([{ failures: 0 }]);
  await api.post(tickets, { ID: 'bad', Stage: 'Waiting' }).expect(200);
  await api.post(tickets, { ID: 'last', Stage: 'Waiting' }).expect(200);
  await dataSource.query(crash.replace('SET', 'SET failures = 2,'));
  await settle();
  expect(await dataSource.query('SELECT cause FROM events_set_aside')).toEqual([
    { cause: 'its process ended or stopped 3 times' },
  ]);
  expect(await clocksIn(service, slug)).toMatchObject(
    ['running', 'running', 'paused'].map((state) => ({ state })),
  );
  await rebuild();
  expect(await dataSource.query('SELECT FROM events_set_aside')).toEqual([]);
});

it('leaves clocks as they are of tasks whose creation is no longer kept', async () => {
  await start(review('10 hours'));
  await api.post(tickets, { ID: '1', Stage: 'Review' }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Waiting' }).expect(200);
  await settle();
  const before = await clocksIn(service, slug);
  await service.dataSource.query(`DELETE FROM events WHERE type = 'task.created'`);
  await rebuild();
  expect(await clocksIn(service, slug)).toEqual(before);
});

it('knows what there is to rebuild, and in which workspaces', async () => {
  await start(review('10 hours'));
  expect(await rebuild('rules')).toMatchObject({ code: 1, err: expect.stringContaining('clocks') as string });
  expect(await rebuild('clocks', 'acne')).toMatchObject({ code: 1, err: expect.stringContaining('There is no workspace "acne"') as string }); // prettier-ignore
});

it('clocks of tasks that came behind an apply follow from their events, also where the apply is worked off later', async () => {
  await start(review('10 hours'));
  await settle();
  await api.post(tickets, { ID: '1', Risk: 'Low', Stage: 'Review' }).expect(201);
  await api.post(tickets, { ID: '1', Risk: 'High' }).expect(200);
  await api.post(tickets, { ID: '1', Stage: 'Waiting' }).expect(200);
  await api.post(tickets, { ID: '1', Stage: 'Review' }).expect(200);
  await service.dataSource.query(
    `INSERT INTO clock_changes (workspace_id, workflow_id, version, fires_overdue, changed_at)
    SELECT f.workspace_id, f.id, v.version, false, v.applied_at
    FROM workspaces w JOIN workflows f ON f.workspace_id = w.id JOIN definition_versions v ON v.workspace_id = w.id
    WHERE w.slug = $1 ORDER BY v.version DESC LIMIT 1`,
    [slug],
  );
  await clockSweep.sweep(service.app.get(JobParts, { strict: false }));
  const before = await clocksIn(service, slug);
  expect(before).toMatchObject([{ state: 'running', row: { pauses: [{ stage: 'Waiting' }] } }]);
  await settle();
  expect(await clocksIn(service, slug)).toEqual(before);
  await rebuild();
  expect(await clocksIn(service, slug)).toEqual(before);
});
