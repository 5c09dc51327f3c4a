import { JobParts } from '../../src/common/ops/job-kind.js';
import { fireTimer } from '../../src/automation/timers/timer.job.js';
import { timerLeases } from '../../src/actions/timers/timers.repository.js';
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

it('starts its action at its time, leaves the list, and stands in the runs and events of the task', async () => {
  await start();
  const { api } = setting;
  const made = await api.post(timers, { action_id: 'nudge', at: '2026-12-01T08:00:00Z' }).expect(201);
  const { id } = made.body as Timer;
  expect(made.body).toEqual({ id, action_id: 'nudge', at: '2026-12-01T08:00:00.000Z', state: 'waiting' });
  expect(await waiting()).toEqual([made.body]);
  await setting.setTime('2026-12-01T08:00:00.100Z');
  expect(await note()).toBe('nudged');
  expect(await waiting()).toEqual([]);
  const because = 'the timer was set for 2026-12-01T08:00:00.000Z';
  expect(await runs()).toMatchObject([{ by: { kind: 'timer', id }, result: 'started', because }]);
  expect(await api.read('/api/v1/events?type=task.updated')).toMatchObject([
    { data: { actor: { kind: 'timer', id }, cause: { kind: 'timer', id, chain: [] } } },
  ]);
});

it('counts days by the clock on the wall of the workspace', async () => {
  // The clocks of Berlin are set back on 25 October.
  await start('2026-10-24T10:00:00Z');
  const { body } = await setting.api.post(timers, { action_id: 'nudge', after: '1 day' }).expect(201);
  const at = Date.parse((body as Timer).at) - Date.parse('2026-10-25T11:00:00Z');
  expect(at).toBeGreaterThanOrEqual(0);
  expect(at).toBeLessThan(600_000);
});

it('performs the action as the user that it names', async () => {
  await start();
  await setting.api
    .post(timers, { action_id: 'nudge', after: '1 hour', performed_by: 'MINA@acme.test' })
    .expect(201);
  await setting.setTime('2026-11-30T13:30:00Z');
  expect(await note()).toBe('nudged');
  expect(await setting.api.read('/api/v1/events?type=task.updated')).toMatchObject([
    { data: { actor: { kind: 'user', id: 'mina@acme.test' }, cause: { kind: 'timer' } } },
  ]);
});

it('refuses an invalid timer with all its faults', async () => {
  await start();
  const nudge = { action_id: 'nudge' };
  for (const [payload, errors] of [
    [{ ...nudge, at: '2026-11-30T11:59:00Z' }, { at: ['is in the past'] }],
    [{}, { action_id: ['is required'], at: ['is required if after is not given'] }],
    [{ ...nudge, at: '2027-01-01T00:00:00Z', after: '1 day' }, { after: ['cannot be combined with at'] }],
    [
      { ...nudge, after: '4 working_hours' },
      { after: ['is in working time, which needs a step with a calendar'] },
    ],
  ] as const)
    expect(await setting.api.refusal(timers, payload)).toEqual(errors);
  const wrong = { action_id: 'nugde', after: '3 weeks', performed_by: 'nobody@acme.test' };
  expect(await setting.api.refusal(timers, wrong)).toEqual({
    action_id: ['is not an action of this workflow; did you mean nudge?'],
    after: [expect.stringContaining('has a unit that is not one of minutes, hours, days')],
    performed_by: ['is not a user of this workspace'],
  });
  expect(await waiting()).toEqual([]);
});

it('is changed and removed while it waits; then it is gone', async () => {
  await start();
  const { api } = setting;
  const { body } = await api.post(timers, { action_id: 'nudge', after: '1 hour' }).expect(201);
  const { id } = body as Timer;
  await api.put(`${timers}/${id}`, { action_id: 'close', at: '2026-12-02T08:00:00Z' }).expect(200);
  expect(await waiting()).toEqual([
    { id, action_id: 'close', at: '2026-12-02T08:00:00.000Z', state: 'waiting' },
  ]);
  await api.delete(`${timers}/${id}`).expect(204);
  await api.delete(`${timers}/${id}`).expect(404);
  await api.put(`${timers}/${id}`, { action_id: 'close', after: '1 day' }).expect(404);
});

it('a task has 100 timers at most', async () => {
  await start();
  const add = (): Promise<{ status: number }> =>
    Promise.resolve(setting.api.post(timers, { action_id: 'nudge', after: '1 hour' }));
  for (let n = 0; n < 97; n += 1) expect((await add()).status).toBe(201);
  const answers = await Promise.all(Array.from({ length: 5 }, add));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(await waiting()).toHaveLength(100);
});

it('goes with its task', async () => {
  await start();
  await setting.api.post(timers, { action_id: 'nudge', after: '1 hour' }).expect(201);
  await setting.api.delete(`${tickets}/T-1`).expect(204);
  const left = 'SELECT FROM timers WHERE workspace_id = $1';
  expect(await setting.service.dataSource.query(left, [setting.workspaceId])).toEqual([]);
});

it('an action schedules another, until the stage changes after its own execution', async () => {
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

it('an action schedules another for a date of the task, or in working time', async () => {
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

it('a timer that two workers find starts one execution; a worker without its lease starts none', async () => {
  await start();
  const { service } = setting;
  const db = service.dataSource.manager;
  const { body } = await setting.api.post(timers, { action_id: 'nudge', after: '1 hour' }).expect(201);
  await service.settle({ after: 3_601_000, kind: 'none' });
  const [due] = (await timerLeases.due(db, 1000)).filter(({ id }) => id === (body as Timer).id);
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
