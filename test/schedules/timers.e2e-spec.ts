import { JobParts } from '../../src/common/ops/job-kind.js';
import { fireTimer } from '../../src/automation/timers/timer.job.js';
import { timerLeases } from '../../src/actions/timers/timers.repository.js';
import { makeTimer } from '../support/timers.js';
import { type Run, type SchedulesSetting, schedulesOfFile, tickets } from './schedules.js';

// A timer starts an action on one task later.
let setting: SchedulesSetting;
const startSchedules = await schedulesOfFile();

const timers = `${tickets}/T-1/timers`;

interface Timer {
  readonly id: string;
  readonly at: string;
}

async function start(time = '2026-11-30T12:00:00Z'): Promise<void> {
  setting = await startSchedules(time);
  await setting.api.post(tickets, { ID: 'T-1', Due: '2026-12-24' }).expect(201);
}

async function waiting(): Promise<Timer[]> {
  return setting.api.read<Timer[]>(timers);
}

/** Performs an action, and says how that has ended. */
async function perform(action_id: string): Promise<unknown> {
  const executions = '/api/v1/workflows/tickets/executions';
  return (await setting.api.post(executions, { task_id: 'T-1', action_id }).set('Prefer', 'wait=10')).body;
}

const runs = (): Promise<Run[]> => setting.api.read<Run[]>(`${tickets}/T-1/runs`);

const note = async (): Promise<unknown> => (await setting.api.read<{ Note: unknown }>(`${tickets}/T-1`)).Note;

it('a timer starts its action at its time, leaves the list, and is recorded in runs and events', async () => {
  await start();
  const { api } = setting;
  expect(await perform('at-due')).toMatchObject({ status: 'Success' });
  const [{ id, at } = { id: '', at: '' }] = await waiting();
  // A date begins at midnight in Berlin.
  expect(await waiting()).toEqual([{ id, action_id: 'nudge', at: '2026-12-23T23:00:00.000Z' }]);
  await setting.setTime(at);
  expect(await note()).toBe('nudged');
  expect(await waiting()).toEqual([]);
  const because = 'the timer was set for 2026-12-23T23:00:00.000Z';
  expect(await runs()).toMatchObject([{ by: { kind: 'timer', id }, result: 'started', because }]);
  const events = await api.read<unknown[]>('/api/v1/events?type=task.updated');
  expect(events).toMatchObject([
    { data: { actor: { kind: 'timer', id }, cause: { kind: 'timer', id, chain: [] } } },
  ]);
});

it('a task has at most 100 timers', async () => {
  await start();
  for (let n = 0; n < 99; n += 1)
    await makeTimer(setting.service, 'T-1', 'nudge', { workspace: setting.slug });
  expect(await perform('at-due')).toMatchObject({ status: 'Success' });
  expect(await perform('at-due')).toMatchObject({
    status: 'Fail',
    errors: ['Ask: the task has 100 timers already'],
  });
  expect(await waiting()).toHaveLength(100);
});

it('a timer is removed by users who may edit its task, and deleted with its task', async () => {
  await start();
  const { api } = setting;
  for (let n = 0; n < 2; n += 1) expect(await perform('at-due')).toMatchObject({ status: 'Success' });
  const [{ id } = { id: '' }] = await waiting();
  await api.delete(`${timers}/${id}`).expect(204);
  await api.delete(`${timers}/${id}`).expect(404);
  expect(await waiting()).toHaveLength(1);
  await api.delete(`${tickets}/T-1`).expect(204);
  const left = 'SELECT FROM timers WHERE workspace_id = $1';
  expect(await setting.service.dataSource.query(left, [setting.workspaceId])).toEqual([]);
});

it('an action schedules another action, until the stage changes after its own execution', async () => {
  await start();
  expect(await perform('snooze')).toMatchObject({ status: 'Success' });
  const [timer] = await waiting();
  expect(timer).toMatchObject({ action_id: 'nudge', at: expect.stringMatching(/^2026-12-03T12:0/) });
  await setting.api.post(tickets, { ID: 'T-1', Note: 'no stage' }).expect(200);
  expect(await waiting()).toHaveLength(1);
  await setting.api.post(tickets, { ID: 'T-1', Stage: 'New' }).expect(200);
  expect(await waiting()).toEqual([]);
  expect(await runs()).toMatchObject([
    { by: { kind: 'timer', id: timer?.id }, result: 'skipped', because: 'the stage of the task changed' },
  ]);
});

it('an action schedules another action for a date of the task, or in working time', async () => {
  await start();
  for (const action of ['at-due', 'in-hours'])
    expect(await perform(action)).toMatchObject({ status: 'Success' });
  const at = (await waiting()).map((timer) => timer.at.slice(0, 16));
  // Noon is 13:00 in Berlin, so that four hours end when the office does; a date begins at midnight there.
  expect(at[0]).toMatch(/^2026-(11-30T16:00|12-01T08:0)/);
  expect(at[1]).toBe('2026-12-23T23:00');
  await setting.api.post(tickets, { ID: 'T-1', Due: null }).expect(200);
  expect(await perform('at-due')).toMatchObject({ status: 'Fail', errors: ['Ask: at is blank'] });
});

it('a timer that two workers find starts one execution, and a worker without its lease starts none', async () => {
  await start();
  const { service } = setting;
  const db = service.dataSource.manager;
  expect(await perform('at-due')).toMatchObject({ status: 'Success' });
  const [timer] = await waiting();
  await service.settle({ at: '2026-12-23T23:00:01Z', kind: 'none' });
  const [due] = (await timerLeases.due(db, 1000)).filter(({ id }) => id === timer?.id);
  if (!due) throw new Error('is not due');
  const claim = () => timerLeases.claim(db, due, 30_000);
  const [lost, second] = [await claim(), await claim()];
  expect(second).toBeUndefined();
  await service.settle({ after: 31_000, kind: 'none' });
  const current = await claim();
  const parts = service.app.get(JobParts, { strict: false });
  for (const worker of [lost, current, current]) if (worker) await fireTimer(parts, worker);
  await setting.settle();
  expect(await runs()).toMatchObject([{ result: 'started' }]);
  expect(await note()).toBe('nudged');
});
