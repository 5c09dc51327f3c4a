import { type OtherProcess, startOtherProcess } from '../support/other-process.js';
import { runsWhen, type SchedulesSetting, schedules, startSchedules, tickets } from './schedules.js';
import { until } from '../support/until.js';

// time.md, 4: `for` starts the action on all tasks that its query finds.
let setting: SchedulesSetting;
const others: OtherProcess[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.kill()));
  await setting.stop();
});

it('starts its action on the tasks of its query, as of the firing', async () => {
  setting = await startSchedules(
    [`id: late, cron: "0 6 * * *", for: "Stage=New&Due[lt]={{date - 3 days}}", run: nudge`],
    '2026-12-01T04:00:00Z',
  );
  const { api } = setting;
  await api.post(tickets, { ID: 'late', Due: '2026-11-27' }).expect(201);
  await api.post(tickets, { ID: 'just', Due: '2026-11-28' }).expect(201);
  await api.post(tickets, { ID: 'done', Due: '2026-11-27', Stage: 'Done' }).expect(201);
  await setting.setTime('2026-12-01T05:00:01Z');
  expect(await runsWhen(api, 'late', 1)).toMatchObject([{ result: 'started', task: { unique_id: 'late' } }]);
  await until('the action is done', async () => {
    const { body } = (await api.get(`${tickets}/late`)) as { body: Record<string, unknown> };
    return body['Note'] === 'nudged';
  });
  const { body } = await api.get('/api/v1/events?type=task.updated').expect(200);
  expect(body).toMatchObject([
    { data: { actor: { kind: 'schedule', id: 'late' }, cause: { kind: 'schedule' } } },
  ]);
});

it('says that it has fired where it finds no task', async () => {
  setting = await startSchedules(
    [`id: late, cron: "0 6 * * *", for: "Stage=Waiting", run: nudge`],
    '2026-12-01T04:00:00Z',
  );
  await setting.setTime('2026-12-01T05:00:01Z');
  await until('it has fired', async () => {
    const { body } = (await setting.api.get(schedules)) as { body: { last: { result: string } | null }[] };
    return body[0]?.last?.result === 'started';
  });
});

// Rule: each page of 1,000 is a transaction of its own, resumable after a crash; no task twice.
it('starts its action once on each of 2,500 tasks, though the worker is killed between its pages', async () => {
  setting = await startSchedules(
    [`id: all, cron: "0 6 * * *", for: "Stage=New", run: count`],
    '2026-12-01T04:00:00Z',
    { WTS_ROLE: 'api', WTS_LEASE_MS: '1500' },
  );
  const { service } = setting;
  const { dataSource } = service;
  const batch = (from: number): object[] =>
    Array.from({ length: 500 }, (_, at) => ({ ID: `T-${from + at}` }));
  const headers = {
    Authorization: `Bearer ${await service.key('acme')}`,
    'Content-Type': 'application/json',
  };
  for (let from = 0; from < 2500; from += 500)
    await (
      await fetch(`${service.url}${tickets}/batch`, {
        method: 'POST',
        headers,
        body: JSON.stringify(batch(from)),
      })
    ).text();
  const environment = {
    ...setting.clock,
    WTS_BLOB_STORE: service.config.blobStore ?? '',
    WTS_ROLE: 'worker',
    WTS_LEASE_MS: '1500',
  };
  // What stands in the way of the second page: a run that is not committed.
  const blocker = dataSource.createQueryRunner();
  await blocker.startTransaction();
  await blocker.query(`
    INSERT INTO runs (workspace_id, kind, workflow_id, starter_id, task_id, nominal, result)
    SELECT workspace_id, 'schedule', workflow_id, 'all', id, '2026-12-01T06:00+01:00', 'started'
    FROM tasks WHERE unique_value = 'T-1500'`);
  const first = await startOtherProcess(service.config.databaseUrl ?? '', environment);
  others.push(first);
  await setting.setTime('2026-12-01T05:00:01Z');
  const counted = async (what: string): Promise<number> => {
    const [row] = await dataSource.query<{ count: number }[]>(
      `SELECT count(*)::integer AS count FROM ${what}`,
    );
    return row?.count ?? 0;
  };
  await until('the first page is there', async () => (await counted('runs')) === 1000);
  await until('the second page waits', async () => (await counted(`pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)) > 0); // prettier-ignore
  await first.kill();
  await blocker.rollbackTransaction();
  await blocker.release();
  expect(await counted('runs')).toBe(1000);
  others.push(await startOtherProcess(service.config.databaseUrl ?? '', environment));
  // 2,500 executions take their time on a busy machine.
  for (let done = 0, before = 0; done < 2500; before = done)
    await until('one more has counted', async () => (done = await counted(`executions WHERE status = 'Success'`)) > before); // prettier-ignore
  expect(await counted('runs')).toBe(2500);
  expect(await counted('(SELECT DISTINCT task_id FROM executions) e')).toBe(2500);
  expect(await counted(`tasks WHERE version = 2`)).toBe(2500);
  expect(await counted('schedule_states WHERE firing IS NULL AND after_task_id IS NULL')).toBe(1);
});

it('a schedule that is paused between its pages goes no further', async () => {
  setting = await startSchedules(
    [`id: all, cron: "0 6 * * *", for: "Stage=New", run: count`],
    '2026-12-01T04:00:00Z',
  );
  const { dataSource } = setting.service;
  await dataSource.query(
    `UPDATE schedule_states SET firing = '{"nominal":1796104800000,"offset":3600000,"instant":1796101200000,"isSecond":false}',
       lease_until = clock_timestamp() + interval '1 hour'`,
  );
  await setting.admin.post(`${schedules}/all/pause`).expect(200);
  const rows = await dataSource.query<object[]>('SELECT firing, lease_until FROM schedule_states');
  expect(rows).toEqual([{ firing: null, lease_until: null }]);
});
