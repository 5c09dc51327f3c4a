import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { recalculateClocks } from '../../src/automation/clocks/clock-changes.job.js';
import { dueClocks } from '../../src/automation/clocks/clocks.repository.js';
import { fireClock } from '../../src/automation/clocks/clock.job.js';
import { updateClocks } from '../../src/automation/clocks/update-clocks.js';
import { EventEntity } from '../../src/events/event.entity.js';
import { readChanges } from '../../src/events/events.repository.js';
import { readTasksAhead } from '../../src/events/task-at-event.js';
import { Metrics } from '../../src/common/ops/metrics.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { holdTasks } from '../support/held-tasks.js';
import { type OwnWorkspace, ownWorkspaces } from '../support/own-workspaces.js';
import { type Client, type SettleOptions } from '../support/service.js';
import { makeTimer } from '../support/timers.js';

// Typical faults of deadlines in other services. Here each rung is done once, and a deadline that has passed is kept.
const HOUR = 3_600_000;
const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (clocks: string, workspace = own.slug): string => `
workspace: { id: ${workspace}, name: Acme, timezone: Europe/Berlin }
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
const answer = (budget: string): string =>
  `{ id: answer, starts: { stages: [New] }, pauses: { stages: [Waiting] }, budget: ${budget}, rungs: [{ at: 100%, run: nudge }] }`;

let own: OwnWorkspace;
let api: Client;
const { service, start: startWorkspace } = await ownWorkspaces();

async function start(clocks: string): Promise<void> {
  own = await startWorkspace((slug) => definition(clocks, slug));
  ({ api } = own);
}

const settle = (options?: SettleOptions): Promise<void> => own.settle(options);

/** Lets time pass while nobody works. */
const idle = (options: SettleOptions): Promise<void> => settle({ ...options, kind: 'none' });

/** The clock of a task once all is done. */
async function clockOf(id: string): Promise<unknown> {
  await settle();
  return (await api.read<unknown[]>(`${tickets}/${id}/clocks`))[0];
}

const nudges = async (id: string): Promise<unknown> =>
  (await api.read<{ Nudges: string }>(`${tickets}/${id}`)).Nudges;

const runs = (id: string): Promise<object[]> => api.read<object[]>(`${tickets}/${id}/runs`);

it('a time that is set back by two hours delays firings, and doubles none', async () => {
  await start(answer('3 hours'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await settle();
  await settle({ after: 3.1 * HOUR });
  expect(await nudges('1')).toBe('1');
  await api.post(tickets, { ID: '2' }).expect(201);
  await settle();
  await settle({ after: -2 * HOUR });
  await api.post(tickets, { ID: '2', Stage: 'Waiting' }).expect(200);
  expect(await clockOf('2')).toMatchObject({ state: 'paused' });
  await api.post(tickets, { ID: '2', Stage: 'New' }).expect(200);
  expect(await clockOf('2')).toMatchObject({ state: 'running' });
  await settle({ after: 5.5 * HOUR });
  expect([await nudges('1'), await nudges('2')]).toEqual(['1', '1']);
  expect([await runs('1'), await runs('2')]).toMatchObject([[{}], [{}]]);
});

it('a task that is approved too late while the worker is down is breached, and not escalated', async () => {
  await start(answer('10 hours'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await idle({ after: 11 * HOUR });
  await api.post(tickets, { ID: '1', Stage: 'Done' }).expect(200);
  // Another one that waits for a worker: an operator sees it in the metrics.
  const id = await makeTimer(service, '1', 'nudge', { workspace: own.slug });
  await idle({ after: 2 * HOUR });
  const told = await service.app.get(Metrics, { strict: false }).text();
  expect(Number(/wts_due_oldest_seconds\{kind="timer"\} (.*)/.exec(told)?.[1])).toBeGreaterThan(3000);
  await api.delete(`${tickets}/1/timers/${id}`).expect(204);
  expect(await clockOf('1')).toMatchObject({ state: 'breached' });
  expect(await runs('1')).toMatchObject([{ result: 'skipped', execution: null }]);
  expect(await nudges('1')).toBe('0');
});

it('a clock whose task is locked does not hide other due clocks', async () => {
  await start(answer('3 hours'));
  await api.post(tickets, { ID: 'held' }).expect(201);
  await settle();
  await api.post(tickets, { ID: 'free' }).expect(201);
  await settle();
  const release = await holdTasks(service.dataSource, own.slug, 'held');
  await settle({ after: 4 * HOUR });
  expect([await nudges('free'), await nudges('held')]).toEqual(['1', '0']);
  // It is put off, so that it is not found first again.
  const [held] = await service.dataSource.query<unknown[]>(
    `SELECT c.next_at > c.due_at AS "isPutOff" FROM clocks c JOIN tasks t ON t.id = c.task_id
    WHERE c.workspace_id = $1 AND t.unique_value = 'held'`,
    [own.workspaceId],
  );
  expect(held).toEqual({ isPutOff: true });
  await release();
  await settle({ after: 1000 });
  expect(await nudges('held')).toBe('1');
});

it('a workspace whose clocks cannot be computed does not stop other workspaces', async () => {
  await start('');
  const other = await service.clientOf(definition('', 'other'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await other.post(tickets, { ID: '1' }).expect(201);
  await service.dataSource.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON clocks FOR EACH ROW WHEN (NEW.workspace_id = ${own.workspaceId}) EXECUTE FUNCTION refuse()`);
  await service.apply(definition(answer('3 hours')));
  await service.apply(definition(answer('3 hours'), 'other'));
  await service.settle({ workspace: 'other', mayFail: true });
  expect(await other.read(`${tickets}/1/clocks`)).toHaveLength(1);
  expect(await api.read(`${tickets}/1/clocks`)).toEqual([]);
  await service.dataSource.query('DROP TRIGGER refuse ON clocks');
  expect(await clockOf('1')).toMatchObject({ state: 'running' });
});

it('a change is not lost if it is applied while clocks are computed by the older definition', async () => {
  await start(answer('3 hours'));
  await settle();
  const [dataSource, workspaces] = [service.app.get(DataSource), service.app.get(Workspaces)];
  const former = await workspaces.get(own.workspaceId);
  await service.apply(definition(answer('4 hours')));
  jest.spyOn(workspaces, 'inForce').mockResolvedValueOnce(former);
  const changesBehind = async (): Promise<number> => {
    await recalculateClocks(dataSource, workspaces, () => false);
    return (await service.dataSource.query<unknown[]>('SELECT FROM clock_changes')).length;
  };
  expect(await changesBehind()).toBe(1);
  expect(await changesBehind()).toBe(0);
});

it('a process that has an older definition since it was suspended fires no clock by it', async () => {
  const told = (at: string): string => answer('3 hours').replace('100%, run: nudge', at);
  await start(told('100%'));
  await api.post(tickets, { ID: '1' }).expect(201);
  await settle();
  const [dataSource, workspaces] = [service.app.get(DataSource), service.app.get(Workspaces)];
  const former = await workspaces.get(own.workspaceId);
  await service.apply(definition(told('90%')));
  await settle();
  await idle({ after: 4 * HOUR });
  const due = (await dueClocks(dataSource.manager, 100)).find(
    (clock) => clock.workspaceId === own.workspaceId,
  );
  if (!due) throw new Error('the clock is not due');
  await expect(fireClock(dataSource, former, due)).rejects.toThrow('the definition has changed');
  await settle();
  const rungs = await service.dataSource.query<{ rung: string }[]>(
    `SELECT about ->> 'rung' AS rung FROM events WHERE workspace_id = $1 AND type = 'clock.fired'`,
    [own.workspaceId],
  );
  expect(rungs).toEqual([{ rung: '90%' }]);
});

it('a task whose clocks cannot be computed is set aside, and does not delay other tasks', async () => {
  await start(answer('3 hours'));
  for (const ID of ['1', 'bad', '3']) await api.post(tickets, { ID }).expect(201);
  await settle();
  await service.dataSource.query(
    `UPDATE clocks SET row = '{}' WHERE task_id = (SELECT id FROM tasks WHERE unique_value = 'bad' AND workspace_id = $1)`,
    [own.workspaceId],
  );
  await service.apply(definition(answer('1 hour')));
  await settle();
  expect(await service.dataSource.query('SELECT FROM clock_changes')).toEqual([]);
  const aside = 'SELECT follower FROM events_set_aside WHERE workspace_id = $1';
  expect(await service.dataSource.query(aside, [own.workspaceId])).toEqual([{ follower: 'clocks' }]);
  await settle({ after: 1.1 * HOUR });
  expect([await nudges('1'), await nudges('bad'), await nudges('3')]).toEqual(['1', '0', '1']);
});

// Rule: one workspace does not slow the others down. A definition is refused if its durations take too long to count.
it('budgets of ten years are refused, and so are endless budgets by a calendar that is rarely open', async () => {
  const calendars = `calendars:
  - { id: busy, timezone: Europe/Berlin, hours: { mon-sun: "00:00-24:00" } }
  - { id: rare, timezone: Europe/Berlin, hours: { mon: "09:00-09:01" } }
`;
  const clock = (id: string, calendar: string, rest: string): string =>
    `{ id: ${id}, starts: { stages: [New] }, calendar: ${calendar}, ${rest} }`;
  const clocks = [
    clock('long', 'busy', 'budget: 5256000 working_minutes'),
    clock('sparse', 'rare', 'budget: 2000 working_minutes'),
    clock('late', 'rare', 'budget: 1 day, rungs: [{ at: 100% + 30 working_hours }]'),
  ];
  const refused = await service.apply(definition(clocks.join(', ')) + calendars).catch(String);
  expect(refused).toContain('clocks[0].budget: is longer than five years (2628000 working_minutes)');
  for (const place of ['clocks[1].budget', 'clocks[2].rungs[0].at'])
    expect(refused).toContain(`${place}: takes more than 10,000 days by the calendar rare`);
});

it('fifty clocks with twenty rungs each let other work run in between', async () => {
  const list = (length: number, one: (at: number) => string): string =>
    Array.from({ length }, (_, at) => one(at)).join(', ');
  const rungs = list(20, (at) => `{ at: 100% + ${at + 1} minutes, run: nudge }`);
  await start(
    list(50, (at) => `{ id: c${at}, starts: { stages: [New] }, budget: 1 minute, rungs: [${rungs}] }`),
  );
  await api.post(tickets, { ID: '1' }).expect(201);
  const { manager } = service.dataSource;
  const workspace = await service.app.get(Workspaces, { strict: false }).inForce(own.workspaceId);
  const workflow = [...workspace.workflows.values()][0];
  if (!workflow) throw new Error('no workflow');
  const { taskId } = await manager.findOneByOrFail(EventEntity, {
    workspaceId: own.workspaceId,
    type: 'task.created',
  });
  const key = { workspaceId: own.workspaceId, workflowId: workflow.id, taskId: taskId ?? '' };
  const events = await readChanges(manager, key, '0', [], 10);
  await readTasksAhead(manager, own.workspaceId, events, []);
  let rounds = 0;
  let counting = setImmediate(function count() {
    rounds += 1;
    counting = setImmediate(count);
  });
  // Every piece of work takes 10 ms.
  let time = performance.now();
  const spent = jest.spyOn(performance, 'now').mockImplementation(() => (time += 10));
  const task = { ...key, publicId: '', uniqueValue: '1', version: 1 };
  const stored = new Map([[task.taskId, new Map()]]);
  await updateClocks({ tx: manager, workflow, task }, stored, events);
  spent.mockRestore();
  clearImmediate(counting);
  expect(stored.get(task.taskId)?.size).toBe(50);
  expect(rounds).toBeGreaterThan(40);
});
