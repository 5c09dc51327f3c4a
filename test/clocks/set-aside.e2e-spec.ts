import { JobParts } from '../../src/common/ops/job-kind.js';
import { clockSweep } from '../../src/automation/clocks/clock-changes.job.js';
import { signIn } from '../support/console.js';
import { type OwnWorkspace, ownWorkspaces } from '../support/own-workspaces.js';
import { type Client, startService } from '../support/service.js';
import { testOptions } from '../support/test-options.js';

// Rule: an event that cannot be followed holds up nothing else.
const HOUR = 3_600_000;

const tickets = '/api/v1/workflows/tickets/tasks';

/** A workspace whose tickets have these clocks. */
const definition = (slug: string, clocks: readonly string[]): string => `
workspace: { id: ${slug}, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@${slug}.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Nudges, type: number, default: 0 }
    actions:
      - { id: nudge, name: Nudge, steps: [{ name: Add, type: update_fields, set: { Nudges: { expression: 'task["Nudges"] + 1' } } }] }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@${slug}.test, role: lead }]
    clocks: [${clocks.join(', ')}]
`;

const rungs = 'rungs: [{ at: 50%, run: nudge }, { at: 100%, run: nudge }]';

const review = (budget: string): string =>
  `{ id: review, starts: { stages: [Review] }, pauses: { stages: [Waiting] }, budget: { field: Risk, of: { High: 2 hours }, else: ${budget} }, again: continue, ${rungs} }`;

let api: Client;
let slug: string;
let settle: OwnWorkspace['settle'];
const { service, start: startWorkspace } = await ownWorkspaces();
await service.settle({ at: '2026-12-01T08:00:00Z' });

async function start(...clocks: string[]): Promise<void> {
  ({ api, slug, settle } = await startWorkspace((slug) => definition(slug, clocks)));
}

it('an event that was set aside is tried again before a clock of its task fires', async () => {
  await start(review('10 hours'));
  for (const ID of ['good', 'bad']) await api.post(tickets, { ID, Stage: 'Review' }).expect(201);
  await settle();
  await service.dataSource.query(`
    CREATE SEQUENCE tries;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('tries'); RAISE 'no'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON clocks FOR EACH ROW
      WHEN (NEW.row ->> 'state' <> OLD.row ->> 'state') EXECUTE FUNCTION refuse()`);
  await api.post(tickets, { ID: 'bad', Stage: 'Done' }).expect(200);
  await settle();
  await service.dataSource.query('DROP TRIGGER refuse ON clocks');
  const aside = 'SELECT follower, cause FROM events_set_aside';
  expect(await service.dataSource.query(aside)).toEqual([{ follower: 'clocks', cause: 'no' }]);
  expect(await service.dataSource.query('SELECT last_value FROM tries')).toEqual([{ last_value: '3' }]);
  const admin = await signIn(service, `mina@${slug}.test`);
  expect((await admin.get('/admin/executions')).html.querySelector('.notice.bad')?.text).toBe(
    'clocks: 1 event could not be processed and was set aside (no).',
  );
  await settle({ after: 11.5 * HOUR });
  const nudges = async (id: string): Promise<unknown> =>
    (await api.read<{ Nudges: string }>(`${tickets}/${id}`)).Nudges;
  expect([await nudges('good'), await nudges('bad')]).toEqual(['2', '0']);
  expect(await api.read(`${tickets}/bad/clocks`)).toMatchObject([{ state: 'met' }]);
});

// Rule: nothing is tried for ever, whatever ends it.
it.each([
  ['a statement that takes too long', `RAISE 'slow' USING ERRCODE = '57014'`, 'slow'],
  [
    'a transaction that PostgreSQL ends because it is idle',
    'PERFORM pg_terminate_backend(pg_backend_pid())',
    'its transaction was idle for more than 0.001 s',
  ],
])('an event is set aside after three tries: %s', async (_, statement, cause) => {
  const own = await startService(testOptions({ idleTransactionMs: 1 }));
  try {
    await own.apply(definition('acme', [review('10 hours')]));
    const client = own.client(await own.key('acme'));
    await own.dataSource.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON clocks FOR EACH ROW EXECUTE FUNCTION refuse()`);
    await client.post(tickets, { ID: 'bad', Stage: 'Review' }).expect(201);
    await own.settle({ mayFail: true });
    const aside = 'SELECT follower, cause FROM events_set_aside';
    expect(await own.dataSource.query(aside)).toEqual([{ follower: 'clocks', cause }]);
  } finally {
    await own.stop();
  }
});

it('an event at which three processes have ended is set aside, and its neighbours are not', async () => {
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
  const latest = 'SELECT cause FROM events_set_aside ORDER BY created_at DESC LIMIT 1';
  expect(await dataSource.query(latest)).toEqual([{ cause: 'the follower or its process failed 3 times' }]);
  for (const [id, state] of [
    ['good', 'running'],
    ['bad', 'running'],
    ['last', 'paused'],
  ] as const)
    expect(await api.read(`${tickets}/${id}/clocks`)).toMatchObject([{ state }]);
});

it('clocks of tasks that were created after an apply follow their events, even in a later turn', async () => {
  await start(review('10 hours'));
  await settle();
  for (const change of [
    { Risk: 'Low', Stage: 'Review' },
    { Risk: 'High' },
    { Stage: 'Waiting' },
    { Stage: 'Review' },
  ])
    await api.send(tickets, { ID: '1', ...change });
  await service.dataSource.query(
    `INSERT INTO clock_changes (workspace_id, workflow_id, version, changed_at)
    SELECT f.workspace_id, f.id, v.version, v.applied_at
    FROM workspaces w JOIN workflows f ON f.workspace_id = w.id JOIN definition_versions v ON v.workspace_id = w.id
    WHERE w.slug = $1 ORDER BY v.version DESC LIMIT 1`,
    [slug],
  );
  await clockSweep.sweep(service.app.get(JobParts, { strict: false }));
  await settle();
  const [{ state, row }] = await service.dataSource.query<[{ state: string; row: { pauses: object[] } }]>(
    'SELECT c.state, c.row FROM clocks c JOIN workspaces w ON w.id = c.workspace_id WHERE w.slug = $1',
    [slug],
  );
  expect([state, row.pauses]).toMatchObject(['running', [{ stage: 'Waiting' }]]);
});
