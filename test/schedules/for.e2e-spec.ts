import { JobParts } from '../../src/common/ops/job-kind.js';
import { fireSchedule } from '../../src/automation/schedules/fire-schedule.js';
import { scheduleJob, scheduleLeases } from '../../src/automation/schedules/schedule-states.repository.js';
import { runsOf, schedules, schedulesOfFile, tickets } from './schedules.js';

// time.md, 4: `for` starts the action on all tasks that its query finds.
const startSchedules = schedulesOfFile();

it('starts its action on the tasks of its query, as of the firing', async () => {
  const setting = await startSchedules(
    [`id: late, cron: "0 6 * * *", for: "Stage=New&Due[lt]={{date - 3 days}}", run: nudge`],
    '2026-12-01T04:00:00Z',
  );
  const { api } = setting;
  await api.post(tickets, { ID: 'late', Due: '2026-11-27' }).expect(201);
  await api.post(tickets, { ID: 'just', Due: '2026-11-28' }).expect(201);
  await api.post(tickets, { ID: 'done', Due: '2026-11-27', Stage: 'Done' }).expect(201);
  await setting.setTime('2026-12-01T05:00:01Z');
  expect(await runsOf(api, 'late')).toMatchObject([{ result: 'started', task: { unique_id: 'late' } }]);
  expect((await api.get(`${tickets}/late`)).body).toMatchObject({ Note: 'nudged' });
  const { body } = await api.get('/api/v1/events?type=task.updated').expect(200);
  expect(body).toMatchObject([
    { data: { actor: { kind: 'schedule', id: 'late' }, cause: { kind: 'schedule' } } },
  ]);
});

// Rule: each page of 1,000 is a transaction of its own, resumable after a crash; no task twice.
it('starts its action once on each of 1,001 tasks, though the worker is lost between its pages', async () => {
  const setting = await startSchedules(
    [`id: all, cron: "0 6 * * *", for: "Stage=New", run: count`],
    '2026-12-01T04:00:00Z',
  );
  const { service, slug } = setting;
  const { dataSource } = service;
  const headers = { Authorization: `Bearer ${await service.key(slug)}`, 'Content-Type': 'application/json' };
  for (const [from, length] of [
    [0, 500],
    [500, 501],
  ] as const) {
    const rows = Array.from({ length }, (_, at) => ({ ID: `T-${from + at}` }));
    const sent = { method: 'POST', headers, body: JSON.stringify(rows) };
    await (await fetch(`${service.url}${tickets}/batch`, sent)).text();
  }
  await service.settle({ at: '2026-12-01T05:00:01Z', kind: 'none' });
  const [{ id: workspaceId }] = await dataSource.query<[{ id: number }]>(
    'SELECT id FROM workspaces WHERE slug = $1',
    [slug],
  );
  const started = async (): Promise<unknown> =>
    (
      await dataSource.query<object[]>(
        `SELECT count(DISTINCT r.task_id)::integer AS tasks, count(*)::integer AS runs,
          count(DISTINCT e.id)::integer AS executions
        FROM runs r LEFT JOIN executions e ON e.id = r.execution_id AND e.workspace_id = r.workspace_id
        WHERE r.workspace_id = $1`,
        [workspaceId],
      )
    )[0];
  const [key] = (await scheduleLeases.due(dataSource.manager, 1000)).filter(
    (due) => due.workspaceId === workspaceId,
  );
  const lost = key && (await scheduleLeases.claim(dataSource.manager, key, 120_000));
  if (!lost) throw new Error('was not claimed');
  const parts = service.app.get(JobParts, { strict: false });
  expect(await fireSchedule(parts, lost)).toBe(true);
  expect(await started()).toEqual({ tasks: 1000, runs: 1000, executions: 1000 });
  await service.settle({ after: 60_000, workspace: slug, kind: scheduleJob });
  expect(await started()).toEqual({ tasks: 1000, runs: 1000, executions: 1000 });
  await service.settle({ after: 61_000, workspace: slug, kind: scheduleJob });
  expect(await started()).toEqual({ tasks: 1001, runs: 1001, executions: 1001 });
  // Who wakes after the end of its lease starts nothing.
  await expect(fireSchedule(parts, lost)).resolves.toBe(false);
});

it('a schedule that is paused between its pages goes no further', async () => {
  const setting = await startSchedules(
    [`id: all, cron: "0 6 * * *", for: "Stage=New", run: count`],
    '2026-12-01T04:00:00Z',
  );
  const { dataSource } = setting.service;
  const ofWorkspace = `workspace_id = (SELECT id FROM workspaces WHERE slug = '${setting.slug}')`;
  await dataSource.query(
    `UPDATE schedule_states SET firing = '{"nominal":1796104800000,"offset":3600000,"instant":1796101200000,"isSecond":false}',
       lease_until = clock_timestamp() + interval '1 hour' WHERE ${ofWorkspace}`,
  );
  await setting.admin.post(`${schedules}/all/pause`).expect(200);
  const rows = await dataSource.query<object[]>(
    `SELECT firing, lease_until FROM schedule_states WHERE ${ofWorkspace}`,
  );
  expect(rows).toEqual([{ firing: null, lease_until: null }]);
});
