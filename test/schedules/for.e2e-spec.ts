import { JobParts } from '../../src/common/ops/job-kind.js';
import { fireSchedule } from '../../src/automation/schedules/fire-schedule.js';
import { scheduleJob, scheduleLeases } from '../../src/automation/schedules/schedule-states.repository.js';
import { sendBatch } from '../support/batch.js';
import { runsOf, schedules, schedulesOfFile, tickets } from './schedules.js';

// `for` starts the action on all tasks that its query finds.
const startSchedules = await schedulesOfFile();

const all = `id: all, cron: "0 6 * * *", for: "Stage=New", run: count`;

it('a schedule starts its action on the tasks that its query finds at the firing', async () => {
  const setting = await startSchedules(
    '2026-12-01T04:00:00Z',
    `id: late, cron: "0 6 * * *", for: "Stage=New&Due[lt]={{date - 3 days}}", run: nudge`,
  );
  const { api } = setting;
  await api.post(tickets, { ID: 'late', Due: '2026-11-27' }).expect(201);
  await api.post(tickets, { ID: 'just', Due: '2026-11-28' }).expect(201);
  await api.post(tickets, { ID: 'done', Due: '2026-11-27', Stage: 'Done' }).expect(201);
  await setting.setTime('2026-12-01T05:00:01Z');
  expect(await runsOf(api, 'late')).toMatchObject([{ result: 'started', task: { unique_id: 'late' } }]);
  expect(await api.read(`${tickets}/late`)).toMatchObject({ Note: 'nudged' });
  expect(await api.read('/api/v1/events?type=task.updated')).toMatchObject([
    { data: { actor: { kind: 'schedule', id: 'late' }, cause: { kind: 'schedule' } } },
  ]);
});

// Rule: each page of 100 is a transaction of its own, resumable after a crash; no task twice.
it('a schedule starts its action once on each of 101 tasks, even if its worker is lost', async () => {
  const setting = await startSchedules('2026-12-01T04:00:00Z', all);
  const { service, slug, workspaceId } = setting;
  const { dataSource } = service;
  const rows = Array.from({ length: 101 }, (_, at) => ({ ID: `T-${at}` }));
  await sendBatch(service, slug, tickets, rows);
  await service.settle({ at: '2026-12-01T05:00:01Z', kind: 'none' });
  const expectStarted = async (count: number): Promise<void> => {
    const rows = await dataSource.query<object[]>(
      `SELECT count(DISTINCT r.task_id)::integer AS tasks, count(*)::integer AS runs,
        count(DISTINCT e.id)::integer AS executions
      FROM runs r LEFT JOIN executions e ON e.id = r.execution_id AND e.workspace_id = r.workspace_id
      WHERE r.workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toEqual([{ tasks: count, runs: count, executions: count }]);
  };
  const due = await scheduleLeases.due(dataSource.manager, 1000);
  const key = due.find((one) => one.workspaceId === workspaceId);
  const lost = key && (await scheduleLeases.claim(dataSource.manager, key, 120_000));
  if (!lost) throw new Error('was not claimed');
  const parts = service.app.get(JobParts, { strict: false });
  expect(await fireSchedule(parts, lost)).toBe(true);
  await expectStarted(100);
  await service.settle({ after: 60_000, workspace: slug, kind: scheduleJob });
  await expectStarted(100);
  await service.settle({ after: 61_000, workspace: slug, kind: scheduleJob });
  await expectStarted(101);
  // Who wakes after the end of its lease starts nothing.
  await expect(fireSchedule(parts, lost)).resolves.toBe(false);
});

it('a schedule that is paused between its pages stops there and says so, and goes on if it is resumed', async () => {
  const setting = await startSchedules('2026-12-01T04:00:00Z', all);
  const { dataSource } = setting.service;
  const firing = { nominal: 1796104800000, offset: 3600000, instant: 1796101200000, isSecond: false };
  const begin = `UPDATE schedule_states SET firing = $2, lease_until = clock_timestamp() + interval '1 hour'
    WHERE workspace_id = $1 RETURNING firing, lease_until AS lease`;
  for (const state of ['paused', 'active']) {
    const [[begun]] = await dataSource.query<[[object]]>(begin, [setting.workspaceId, firing]);
    await setting.admin.post(`${schedules}/all/${state === 'paused' ? 'pause' : 'resume'}`).expect(200);
    const left = await dataSource.query<object[]>(
      `SELECT firing, lease_until AS lease FROM schedule_states WHERE workspace_id = ${setting.workspaceId}`,
    );
    expect(left).toEqual([state === 'paused' ? { firing: null, lease: null } : begun]);
  }
  const skipped = { result: 'skipped', because: 'the schedule is paused', task: null };
  expect(await runsOf(setting.api, 'all')).toMatchObject([skipped]);
});
