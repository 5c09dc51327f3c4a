import { sealCause } from '../../src/workspace/sealed-cause.js';
import { Workspaces } from '../../src/workspace/workspaces.js';
import { type MovedClock, movedClock } from '../support/moved-clock.js';
import { type RulesSetting, runsOf, shows, startRules, tickets } from './rules.js';
import { until } from '../support/until.js';

// time.md, 7: what goes wrong elsewhere. Nothing is lost, nothing is done twice, and there is a reason for everything.
let setting: RulesSetting;
let clock: MovedClock | undefined;
afterEach(async () => {
  await setting.stop();
  await clock?.remove();
  clock = undefined;
});

const at = (id: string): string => `${tickets}/${id}`;

async function counted(what: string): Promise<number> {
  const [row] = await setting.service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::integer AS count FROM ${what}`,
  );
  return row.count;
}

/** Waits until so many executions have succeeded, for as long as they go on: they take their time on a slow machine. */
async function succeeded(count: number): Promise<void> {
  for (let done = 0, before = 0; done < count; before = done)
    await until('one more has counted', async () => (done = await counted(`executions WHERE status = 'Success'`)) > before); // prettier-ignore
}

/** Sends many rows at once, and returns what became of each. */
async function batch(rows: readonly object[]): Promise<string> {
  const { service } = setting;
  const headers = {
    Authorization: `Bearer ${await service.key('acme')}`,
    'Content-Type': 'application/json',
  };
  return (
    await fetch(`${service.url}${tickets}/batch`, { method: 'POST', headers, body: JSON.stringify(rows) })
  ).text();
}

it('1,000 edits of one task in a second start 1,000 executions, one after the other', async () => {
  setting = await startRules([
    'id: count, on: field_changed, field: Value, run: count, limit: { per_rule: 5000 per minute }',
  ]);
  await setting.api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  await batch(Array.from({ length: 1000 }, (_, n) => ({ ID: '1', Value: n + 1 })));
  await succeeded(1000);
  await shows(setting.api, at('1'), { Count: '1000', Value: '1000.00' });
  expect(await counted('(SELECT DISTINCT event_id FROM runs) r')).toBe(1000);
});

it('a rule follows what happens after it was applied, though the clock of the machine is set back meanwhile', async () => {
  clock = await movedClock(2 * 3_600_000);
  setting = await startRules(['id: count, on: field_changed, field: Value, run: count'], clock.environment);
  const { api, service } = setting;
  await clock.move(service.dataSource, 0);
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  await api.post(tickets, { ID: '1', Value: 1 }).expect(200);
  await shows(api, at('1'), { Count: '1' });
});

it('an import of 500 assignments: each starts its rule once, above the limit later and in order', async () => {
  const rule = (limit: string): string =>
    `id: taken, on: assigned, to: mina@acme.test, run: count, limit: { per_rule: ${limit} }`;
  setting = await startRules([rule('100 per hour')]);
  await batch(Array.from({ length: 500 }, (_, n) => ({ ID: `${n}`, 'Assigned To': 'mina@acme.test' })));
  await until('the others wait', async () => (await counted(`runs WHERE result = 'waiting'`)) === 400);
  expect(await counted(`runs WHERE result = 'started'`)).toBe(100);
  await setting.rules([rule('5000 per minute')]);
  await succeeded(500);
  expect(await counted(`tasks WHERE version_offset + version > 0`)).toBe(500);
  expect(await counted(`(SELECT DISTINCT task_id FROM executions) e`)).toBe(500);
  expect(await counted(`(SELECT created_at, lag(task_id) OVER (ORDER BY place) > task_id AS back FROM executions) e WHERE back`)).toBe(0); // prettier-ignore
});

it('an apply during a burst: each event is judged once, by one definition or the other', async () => {
  setting = await startRules(['id: one, on: created, run: count, limit: { per_rule: 5000 per minute }']);
  const creates = async (from: number): Promise<void> => {
    for (let n = from; n < 200; n += 4) await setting.api.post(tickets, { ID: `${n}` }).expect(201);
  };
  const burst = Promise.all([0, 1, 2, 3].map(creates));
  for (const run of ['fill', 'count', 'fill'])
    await setting.rules([`id: one, on: created, run: ${run}, limit: { per_rule: 5000 per minute }`]);
  await burst;
  await until('all are done', async () => (await counted(`executions WHERE status = 'Success'`)) === 200);
  expect(await counted('runs')).toBe(200);
  expect(await counted('(SELECT DISTINCT task_id FROM runs) r')).toBe(200);
});

it('a rule that is removed between match and start starts nothing, and its run says so', async () => {
  const others = 'id: other, on: field_changed, field: Note, run: fill';
  setting = await startRules([
    'id: count, on: field_changed, field: Value, run: count, limit: { per_rule: 1 per hour }',
    others,
  ]);
  const { api } = setting;
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  for (const Value of [1, 2]) await api.post(tickets, { ID: '1', Value }).expect(200);
  await until('one waits', async () => (await runsOf(api, '1'))[0]?.result === 'waiting');
  await setting.rules([others], { isPruning: true });
  await until('its run has ended', async () => (await runsOf(api, '1'))[0]?.result === 'unavailable');
  expect(await runsOf(api, '1')).toMatchObject([
    { result: 'unavailable', because: 'the rule was removed', execution: null },
    { result: 'started' },
  ]);
  await shows(api, at('1'), { Count: '1' });
});

it('a rule that is paused starts none of its runs that wait, also not after it is resumed', async () => {
  setting = await startRules([
    'id: count, on: field_changed, field: Value, run: count, limit: { per_rule: 1 per hour }',
    'id: other, on: field_changed, field: Value, run: count, limit: { per_rule: 1 per hour }',
  ]);
  const { api, admin, service } = setting;
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  for (const Value of [1, 2, 3]) await api.post(tickets, { ID: '1', Value }).expect(200);
  await until('four wait', async () => (await counted(`runs WHERE result = 'waiting'`)) === 4);
  await admin.post('/api/v1/workflows/tickets/rules/count/pause').expect(200);
  const ofCount = async (): Promise<string[]> => {
    const runs = (await runsOf(api, '1')).filter(({ by }) => by.id === 'count');
    return runs.map(({ result, because }) => (result === 'silenced' ? because : result));
  };
  const silenced = ['the rule is paused', 'the rule is paused', 'started'];
  expect(await ofCount()).toEqual(silenced);
  // A run that an event left during the pause.
  await service.dataSource.query(
    `UPDATE runs SET result = 'waiting' WHERE place = (SELECT max(place) FROM runs WHERE starter_id = 'count')`,
  );
  // When the other rule has gone on twice, this one has had its turn between.
  for (const started of [2, 3]) {
    await service.dataSource.query(`UPDATE runs SET started_at = started_at - interval '1 hour'`);
    await until('the other starts', async () => (await counted(`runs WHERE starter_id = 'other' AND result = 'started'`)) === started); // prettier-ignore
  }
  expect(await counted(`runs WHERE starter_id = 'count' AND result = 'started'`)).toBe(1);
  await admin.post('/api/v1/workflows/tickets/rules/count/resume').expect(200);
  expect(await ofCount()).toEqual(silenced);
});

it('a task that is deleted between the claim and the start: its run says so', async () => {
  setting = await startRules(['id: count, on: field_changed, field: Value, run: count']);
  const { api, service } = setting;
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  // Nobody follows until the task is held.
  const lease = (until: string): Promise<unknown> =>
    service.dataSource.query(
      `UPDATE followers SET fence = fence + 1, lease_until = ${until} WHERE name = 'rules'`,
    );
  await lease(`clock_timestamp() + interval '1 hour'`);
  await api.post(tickets, { ID: '1', Value: 1 }).expect(200);
  // Who holds the task lets the execution be claimed, and not begin.
  const holder = service.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`SELECT FROM tasks WHERE unique_value = '1' FOR UPDATE`);
  await lease('NULL');
  await until('it is claimed', async () => (await counted(`executions WHERE claims > 0 AND status = 'Pending'`)) > 0); // prettier-ignore
  await holder.query(`DELETE FROM tasks WHERE unique_value = '1'`);
  await holder.commitTransaction();
  await holder.release();
  await until('it has ended', async () => (await counted(`executions WHERE status = 'Pending'`)) === 0);
  const [run] = await service.dataSource.query<[{ result: string; because: string }]>(
    'SELECT result, because FROM runs',
  );
  expect([run.result, run.because]).toEqual(['unavailable', 'task was deleted']);
});

it('runs of a rule that cannot be started keep no others from it', async () => {
  const limited = (id: string, run: string): string =>
    `id: ${id}, on: field_changed, field: Value, run: ${run}, limit: { per_rule: 1 per hour }`;
  setting = await startRules([limited('a', 'busy'), limited('m', 'count'), limited('z', 'busy')]);
  const { api, service } = setting;
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  for (const Value of [1, 2]) await api.post(tickets, { ID: '1', Value }).expect(200);
  await until('three wait', async () => (await counted(`runs WHERE result = 'waiting'`)) === 3);
  for (const command of [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
    `CREATE TRIGGER refuse BEFORE INSERT ON executions FOR EACH ROW WHEN (NEW.action_id = 'busy') EXECUTE FUNCTION refuse()`,
    `UPDATE runs SET started_at = started_at - interval '1 hour'`,
  ])
    await service.dataSource.query(command);
  await shows(api, at('1'), { Count: '2' });
  expect(await counted(`runs WHERE result = 'waiting'`)).toBe(2);
  await service.dataSource.query('DROP TRIGGER refuse ON executions');
  await until('none waits', async () => (await counted(`runs WHERE result = 'waiting'`)) === 0);
});

// Rule: an execution of a client that echoes WTS-Cause is the client's: it fails, and rules may follow.
it('what a client starts with WTS-Cause has failed where it fails before its first step', async () => {
  setting = await startRules(['id: note, on: execution_failed, action: noted, run: review']);
  const { api, service } = setting;
  await api.post(tickets, { ID: '1' }).expect(201);
  const { workflows } = await service.app.get(Workspaces).get(1);
  const [workflow] = workflows.values();
  const cause = { kind: 'rule', id: 'x', event: null, chain: [] } as const;
  await api.post(tickets, { ID: '1', Note: 'x' }).expect(200);
  // Its requirement is met when it is entered, and not when it begins.
  const holder = service.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`SELECT FROM tasks WHERE unique_value = '1' FOR UPDATE`);
  await api
    .post('/api/v1/workflows/tickets/executions', { task_id: '1', action_id: 'noted' })
    .set('WTS-Cause', sealCause(workflow ?? { cursorKey: Buffer.alloc(0) }, cause))
    .expect(202);
  await holder.query(`UPDATE tasks SET field_values = '{}', version = version + 1 WHERE unique_value = '1'`);
  await holder.commitTransaction();
  await holder.release();
  await shows(api, at('1'), { Stage: 'Review' });
  expect(await runsOf(api, '1')).toMatchObject([{ by: { id: 'note' }, result: 'started' }]);
});

const linked = `
workspace: { id: linked, name: Linked }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Count, type: number, default: 0 }]
    actions: [{ id: count, name: Count, steps: [{ name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }] }]
    rules: [{ id: there, on: field_changed, field: Count, of: Orders, run: count }]
  - id: orders
    name: Orders
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Count, type: number, default: 0 }]
    actions: [{ id: count, name: Count, steps: [{ name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }] }]
    rules: [{ id: back, on: field_changed, field: Count, of: Ticket, run: count }]
relationships:
  - { id: orders, kind: one_to_many, from: { workflow: tickets, name: Orders }, to: { workflow: orders, name: Ticket } }
`;

it('a loop over a link ends where the rule comes to the same task again', async () => {
  setting = await startRules([]);
  await setting.service.apply(linked);
  const api = setting.service.client(await setting.service.key('linked'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await api.post('/api/v1/workflows/orders/tasks', { ID: 'a' }).expect(201);
  await api.post(tickets, { ID: '1', Orders: [{ ID: 'a' }] }).expect(200);
  await api.put(tickets, { ID: '1', Count: 10 }).expect(200);
  await until('it has ended', async () => (await counted(`runs WHERE result = 'loop'`)) === 1);
  // There, back, and no further: the second time there would be the same rule on the same task.
  expect((await api.get(`${tickets}/1`)).body).toMatchObject({ Count: '11' });
  expect((await api.get('/api/v1/workflows/orders/tasks/a')).body).toMatchObject({ Count: '1' });
  expect(await counted(`runs WHERE result = 'started'`)).toBe(2);
});
