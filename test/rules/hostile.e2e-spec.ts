import { type EntityManager } from 'typeorm';
import { rulesIn } from '../../src/automation/rules/compiled-rules.js';
import { starterOf } from '../../src/automation/rules/follow-rule.js';
import { limitsOf } from '../../src/automation/rules/limits.repository.js';
import { executionJob } from '../../src/executions/executions.repository.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { sendBatch } from '../support/batch.js';
import { blocked } from '../support/blocked.js';
import { rowsRead } from '../support/rows-read.js';
import { type Client } from '../support/service.js';
import { type RulesSetting, rulesOfFile, runsOf, settledTask, tickets } from './rules.js';

// Typical faults of rules in other services. Here nothing is lost or done twice, and each outcome has a reason.
const HOUR = 3_600_000;
let setting: RulesSetting;
let api: Client;
const startRules = await rulesOfFile();
async function start(...rules: string[]): Promise<void> {
  setting = await startRules(rules);
  ({ api } = setting);
}

const settled = (id: string): Promise<Record<string, unknown>> => settledTask(setting, `${tickets}/${id}`);

async function runsThat(condition: string): Promise<number> {
  const [row] = await setting.service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::integer AS count FROM runs WHERE workspace_id = ${setting.workspaceId} AND ${condition}`,
  );
  return row.count;
}

const batch = (rows: readonly object[]): Promise<void> =>
  sendBatch(setting.service, setting.slug, tickets, rows);

/** A ticket that is changed several times. */
async function edit(values: readonly number[]): Promise<void> {
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  for (const Value of values) await api.post(tickets, { ID: '1', Value }).expect(200);
}

it('8 simultaneous edits of one task start 8 executions, one after another', async () => {
  await start('id: count, on: field_changed, field: Value, run: count');
  await edit([]);
  await batch(Array.from({ length: 8 }, (_, n) => ({ ID: '1', Value: n + 1 })));
  expect(await settled('1')).toMatchObject({ Count: '8', Value: '8.00' });
  expect(new Set((await runsOf(api, '1')).map(({ event }) => event)).size).toBe(8);
});

it('an import starts its rule once on each task; above the limit, later and in order', async () => {
  const rule = (limit: string): string =>
    `id: taken, on: assigned, to: mina@acme.test, run: count, limit: { per_rule: ${limit} }`;
  await start(rule('2 per hour'));
  await batch(Array.from({ length: 6 }, (_, n) => ({ ID: `${n}`, 'Assigned To': 'mina@acme.test' })));
  await setting.settle();
  expect([await runsThat(`result = 'started'`), await runsThat(`result = 'waiting'`)]).toEqual([2, 4]);
  await setting.rules([rule('100 per hour')]);
  await setting.settle();
  const started = await setting.service.dataSource.query<{ id: string }[]>(
    `SELECT t.unique_value AS id FROM executions e JOIN tasks t ON t.id = e.task_id
    WHERE e.workspace_id = $1 AND e.status = 'Success' ORDER BY e.place`,
    [setting.workspaceId],
  );
  expect(started.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4', '5']);
});

it('an event is judged once, by the rules that are current when it is followed', async () => {
  await start('id: one, on: created, run: count');
  await api.post(tickets, { ID: '1' }).expect(201);
  await setting.rules(['id: one, on: created, run: fill']);
  expect(await settled('1')).toMatchObject({ Note: 'filled', Count: '0' });
  expect(await runsOf(api, '1')).toHaveLength(1);
});

it('a rule follows only what happens after it was applied, even if the system time is set back', async () => {
  await start();
  await api.post(tickets, { ID: 'old', Value: 0 }).expect(201);
  await api.post(tickets, { ID: 'old', Value: 1 }).expect(200);
  await setting.settle({ after: 2 * HOUR });
  await setting.rules(['id: count, on: field_changed, field: Value, run: count']);
  await setting.settle({ after: -2 * HOUR });
  await edit([1]);
  expect(await settled('1')).toMatchObject({ Count: '1' });
  expect(await runsOf(api, 'old')).toEqual([]);
});

const hourly = (id: string, run = 'count'): string =>
  `id: ${id}, on: field_changed, field: Value, run: ${run}, limit: { per_rule: 1 per hour }`;

it('a rule that is removed between match and start starts nothing, and its run says so', async () => {
  const other = 'id: other, on: field_changed, field: Note, run: fill';
  await start(hourly('count'), other);
  await edit([1, 2]);
  await setting.settle();
  await setting.rules([other], { isPruning: true });
  expect(await settled('1')).toMatchObject({ Count: '1' });
  expect(await runsOf(api, '1')).toMatchObject([
    { result: 'unavailable', because: 'the rule was removed', execution: null },
    { result: 'started' },
  ]);
});

it('a paused rule starts none of its waiting runs, not even after it is resumed', async () => {
  await start(hourly('count'), hourly('other'));
  const { api, admin, service, workspaceId } = setting;
  await edit([1, 2, 3]);
  await setting.settle();
  expect(await runsThat(`result = 'waiting'`)).toBe(4);
  await admin.post('/api/v1/workflows/tickets/rules/count/pause').expect(200);
  const ofCount = async (): Promise<string[]> => {
    const runs = (await runsOf(api, '1')).filter(({ by }) => by.id === 'count');
    return runs.map(({ result, because }) => (result === 'silenced' ? because : result));
  };
  const silenced = ['the rule is paused', 'the rule is paused', 'started'];
  expect(await ofCount()).toEqual(silenced);
  // A run that an event left during the pause.
  await service.dataSource.query(
    `UPDATE runs SET result = 'waiting' WHERE workspace_id = $1
      AND place = (SELECT max(place) FROM runs WHERE workspace_id = $1 AND starter_id = 'count')`,
    [workspaceId],
  );
  for (let hour = 0; hour < 2; hour += 1) await setting.settle({ after: HOUR });
  expect(await runsThat(`starter_id = 'other' AND result = 'started'`)).toBe(3);
  expect(await runsThat(`starter_id = 'count' AND result = 'started'`)).toBe(1);
  await admin.post('/api/v1/workflows/tickets/rules/count/resume').expect(200);
  await setting.settle({ after: HOUR });
  expect(await ofCount()).toEqual(silenced);
});

it('the run of a task that is deleted between the claim and the start says so', async () => {
  await start('id: count, on: field_changed, field: Value, run: count');
  const { dataSource } = setting.service;
  await edit([1]);
  await setting.settle({ kind: 'follow' });
  // Who holds the task lets the execution be claimed, and not begin.
  const running = await dataSource.transaction(async (holder) => {
    await holder.query(`SELECT FROM tasks WHERE workspace_id = $1 FOR UPDATE`, [setting.workspaceId]);
    const running = setting.settle({ kind: executionJob });
    await blocked(dataSource);
    await holder.query(`DELETE FROM tasks WHERE workspace_id = $1`, [setting.workspaceId]);
    return { running };
  });
  await running.running;
  expect(await runsThat(`result = 'unavailable' AND because = 'task was deleted'`)).toBe(1);
});

it('a rule that people trigger reads few runs of a task, even if there are many', async () => {
  await start('id: count, on: field_changed, field: Value, run: count');
  await edit([]);
  const { service, workspaceId } = setting;
  const [workflow] = (await service.app.get(Workspaces).get(workspaceId)).workflows.values();
  const [rule] = workflow ? rulesIn(workflow) : [];
  if (!workflow || !rule) throw new Error('there is no rule');
  const [task] = await service.dataSource.query<[{ id: string }]>(
    'SELECT id FROM tasks WHERE workspace_id = $1',
    [workspaceId],
  );
  await service.dataSource.query(
    `INSERT INTO runs (workspace_id, kind, workflow_id, starter_id, event_id, task_id, result, created_at)
    SELECT $1, 'rule', $2, 'count', gen_random_uuid(), $3, 'silenced', now() - make_interval(days => n)
    FROM generate_series(1, 2000) n`,
    [workspaceId, workflow.id, task.id],
  );
  const limits = (tx: EntityManager): Promise<unknown> =>
    limitsOf(tx, starterOf(workflow, rule), { taskId: task.id, isCaused: false }, rule);
  expect(await rowsRead(service.dataSource, { table: 'runs', plans: 'generic' }, limits)).toBeLessThan(100);
});

it('runs of a rule that cannot start do not stop other runs', async () => {
  await start(hourly('a', 'busy'), hourly('m'), hourly('z', 'busy'));
  const { dataSource } = setting.service;
  await edit([1, 2]);
  await setting.settle();
  expect(await runsThat(`result = 'waiting'`)).toBe(3);
  await dataSource.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON executions FOR EACH ROW WHEN (NEW.action_id = 'busy') EXECUTE FUNCTION refuse()`);
  await setting.settle({ after: HOUR, mayFail: true });
  expect(await api.read(`${tickets}/1`)).toMatchObject({ Count: '2' });
  expect(await runsThat(`result = 'waiting'`)).toBe(2);
  await dataSource.query('DROP TRIGGER refuse ON executions');
  await setting.settle();
  expect(await runsThat(`result = 'waiting'`)).toBe(0);
});
