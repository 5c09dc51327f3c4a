import { idsOf, runsOf, schedules, schedulesOfFile, tickets } from './schedules.js';

// A schedule creates tasks, or starts an action, again and again by the clock.
const startSchedules = await schedulesOfFile();

const weekly = `id: weekly, cron: "0 7 * * MON", create: { ID: "W-{{date}}", Due: "{{date + 14 days}}", Note: "{{week}} {{month}}" }`;

it('a schedule creates a task at its time, in its time zone, once', async () => {
  // A Monday; Berlin is an hour ahead.
  const setting = await startSchedules('2026-11-30T05:00:00Z', weekly);
  const { api } = setting;
  await setting.setTime('2026-11-30T06:00:01Z');
  const [run] = await runsOf(api, 'weekly');
  expect(run).toMatchObject({
    by: { kind: 'schedule', id: 'weekly' },
    result: 'started',
    because: 'the schedule fired for 2026-11-30T07:00+01:00',
    task: { unique_id: 'W-2026-11-30' },
    execution: null,
  });
  const task = { Due: '2026-12-14', Note: '2026-W49 2026-11', Stage: 'New' };
  expect(await api.read(`${tickets}/W-2026-11-30`)).toMatchObject(task);
  const by = { kind: 'schedule', id: 'weekly' };
  expect(await api.read('/api/v1/events?type=task.created')).toMatchObject([
    { data: { actor: by, cause: { ...by, event: null, chain: [] } } },
  ]);
  await setting.setTime('2026-12-07T05:00:00Z');
  expect(await idsOf(api)).toEqual(['W-2026-11-30']);
});

it('a schedule shows its next five firings and its last run', async () => {
  const setting = await startSchedules('2026-11-30T05:00:00Z', weekly);
  const next = ['11-30', '12-07', '12-14', '12-21', '12-28'].map((day) => `2026-${day}T06:00:00.000Z`);
  const shown = {
    id: 'weekly',
    cron: '0 7 * * MON',
    timezone: 'Europe/Berlin',
    state: 'active',
    next,
    last_run_at: null,
  };
  expect(await setting.api.read(schedules)).toEqual([shown]);
  await setting.setTime('2026-11-30T06:00:01Z');
  const last_run_at = expect.stringMatching(/^2026-11-30T06:00:0/) as string;
  expect(await setting.api.read(schedules)).toMatchObject([
    { next: expect.arrayContaining(['2026-12-07T06:00:00.000Z']), last_run_at },
  ]);
});

it('a schedule never changes a task: if the Unique ID is taken, the firing is skipped', async () => {
  const setting = await startSchedules('2026-11-30T05:00:00Z', weekly);
  const { api } = setting;
  await api.post(tickets, { ID: 'W-2026-11-30', Note: 'mine' }).expect(201);
  await setting.setTime('2026-11-30T06:00:01Z');
  const skipped = { result: 'skipped', because: 'ID has already been taken' };
  expect(await runsOf(api, 'weekly')).toMatchObject([skipped]);
  expect(await api.read(`${tickets}/W-2026-11-30`)).toMatchObject({ Note: 'mine' });
});

const daily = `id: daily, cron: "0 6 * * *", create: { ID: "D-{{date}}" }`;

it.each([
  ['the latest missed firing of the last 24 hours', daily, '2026-12-04T12:00:00Z', ['D-2026-12-04']],
  ['nothing that came more than 24 hours ago', weekly, '2026-12-02T12:00:00Z', []],
])('a schedule makes up for %s', async (_, schedule, time, ids) => {
  const setting = await startSchedules('2026-11-30T05:30:00Z', schedule);
  await setting.setTime(time);
  const id = schedule === weekly ? 'weekly' : 'daily';
  const late = expect.stringMatching(/^the service was \d+ minutes late$/) as string;
  const missed = { result: 'missed', because: late };
  expect((await runsOf(setting.api, id)).at(0)).toMatchObject(
    ids.length > 0 ? { result: 'started' } : missed,
  );
  expect(await idsOf(setting.api)).toEqual(ids);
});

it('a schedule fires nothing from before it was applied', async () => {
  const setting = await startSchedules('2026-11-30T06:00:10Z');
  await setting.schedules([daily]);
  await setting.setTime('2026-11-30T06:00:40Z');
  expect(await setting.api.read(schedules)).toMatchObject([
    { next: expect.arrayContaining(['2026-12-01T05:00:00.000Z']), last_run_at: null },
  ]);
  // Nor what other times would have had come by now.
  await setting.setTime('2026-11-30T22:00:00Z');
  await setting.schedules([`id: daily, cron: "0 22 * * *", create: { ID: "D-{{date}}" }`]);
  await setting.setTime('2026-12-01T21:00:02Z');
  expect(await idsOf(setting.api)).toEqual(['D-2026-12-01']);
});

it('a paused schedule skips; a resumed one fires at its next time; both are events', async () => {
  const setting = await startSchedules('2026-11-30T12:00:00Z', daily);
  const { api, admin } = setting;
  await api.post(`${schedules}/daily/pause`).expect(403);
  await admin.post(`${schedules}/daily/pause`).expect(200, /"state":"paused"/);
  await admin.post(`${schedules}/daily/pause`).expect(200);
  await setting.setTime('2026-12-01T05:00:01Z');
  const skipped = { result: 'skipped', because: 'the schedule is paused' };
  expect(await runsOf(api, 'daily')).toMatchObject([skipped]);
  // An apply leaves it paused.
  await setting.schedules([daily, weekly]);
  await admin.post(`${schedules}/daily/resume`).expect(200, /"state":"active"/);
  await setting.setTime('2026-12-02T05:00:01Z');
  expect(await idsOf(api)).toEqual(['D-2026-12-02']);
  expect(await api.read('/api/v1/events?type=schedule.paused&type=schedule.resumed')).toMatchObject([
    { type: 'schedule.paused', data: { schedule: { id: 'daily' }, actor: { kind: 'key' } } },
    { type: 'schedule.resumed' },
  ]);
});

it('a schedule also fires on request, outside of its timetable', async () => {
  const timed = `id: daily, cron: "0 6 * * *", create: { ID: "D-{{date}}-{{time}}" }`;
  const setting = await startSchedules('2026-11-30T12:00:00Z', timed);
  await setting.api.post(`${schedules}/daily/run`).expect(403);
  await setting.admin.post(`${schedules}/daily/run`).expect(202);
  await setting.settle();
  const started = { result: 'started', because: 'somebody requested it' };
  expect(await runsOf(setting.api, 'daily')).toMatchObject([started]);
  expect(await idsOf(setting.api)).toEqual([expect.stringMatching(/^D-2026-11-30-13\d\d$/)]);
});

it('a schedule fires only on open days of its calendar', async () => {
  const monthly = `id: monthly, cron: "0 8 26 * *", calendar: office, create: { ID: "M-{{month}}" }`;
  const setting = await startSchedules('2026-12-25T12:00:00Z', monthly);
  // The 26th is a Saturday, and a holiday.
  const next = expect.arrayContaining(['2026-12-28T07:00:00.000Z']) as string[];
  expect(await setting.api.read(schedules)).toMatchObject([{ timezone: 'Europe/Berlin', next }]);
  await setting.setTime('2026-12-28T07:00:01Z');
  expect(await runsOf(setting.api, 'monthly')).toMatchObject([
    { because: 'the schedule fired for 2026-12-26T08:00+01:00', task: { unique_id: 'M-2026-12' } },
  ]);
});

it('a removed schedule no longer fires', async () => {
  const setting = await startSchedules('2026-11-30T12:00:00Z', daily, weekly);
  const { api } = setting;
  await setting.schedules([weekly], { isPruning: true });
  await setting.setTime('2026-12-07T06:00:01Z');
  await api.get(`${schedules}/daily/runs`).expect(404);
  expect(await idsOf(api)).toEqual(['W-2026-12-07']);
});
