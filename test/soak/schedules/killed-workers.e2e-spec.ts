import { definition, tickets } from '../../schedules/schedules.js';
import { type MovedTime, movedTime } from '../../support/moved-time.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

let service: TestService;
let moved: MovedTime;
const others: OtherProcess[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.kill()));
  await service.stop();
  await moved.remove();
});

/** A service without workers, whose time is this. */
async function start(schedules: readonly string[], time: string): Promise<void> {
  moved = await movedTime(new Date(time));
  service = await startService({ ...moved.environment, WTS_ROLE: 'api', ...testOptions({ leaseMs: 1500 }) });
  await service.apply(definition(schedules));
}

async function startWorker(): Promise<OtherProcess> {
  const worker = await startOtherProcess(service.config.databaseUrl ?? '', {
    ...moved.environment,
    WTS_BLOB_STORE: service.config.blobStore ?? '',
    WTS_ROLE: 'worker',
    ...testOptions({ leaseMs: 1500 }),
  });
  others.push(worker);
  return worker;
}

const setTime = (time: string): Promise<void> =>
  moved.move(service.dataSource, Date.parse(time) - Date.now());

async function counted(what: string): Promise<number> {
  const [row] = await service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::integer AS count FROM ${what}`,
  );
  return row.count;
}

// Rule: each page of 1,000 is a transaction of its own, resumable after a crash; no task twice.
it('a schedule starts its action once on each of 2,500 tasks, though the worker is killed between its pages', async () => {
  await start([`id: all, cron: "0 6 * * *", for: "Stage=New", run: count`], '2026-12-01T04:00:00Z');
  const headers = {
    Authorization: `Bearer ${await service.key('acme')}`,
    'Content-Type': 'application/json',
  };
  for (let from = 0; from < 2500; from += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => ({ ID: `T-${from + at}` }));
    const sent = { method: 'POST', headers, body: JSON.stringify(rows) };
    await (await fetch(`${service.url}${tickets}/batch`, sent)).text();
  }
  // What stands in the way of the second page: a run that is not committed.
  const blocker = service.dataSource.createQueryRunner();
  await blocker.startTransaction();
  await blocker.query(`
    INSERT INTO runs (workspace_id, kind, workflow_id, starter_id, task_id, nominal, result)
    SELECT workspace_id, 'schedule', workflow_id, 'all', id, '2026-12-01T06:00+01:00', 'started'
    FROM tasks WHERE unique_value = 'T-1500'`);
  const first = await startWorker();
  await setTime('2026-12-01T05:00:01Z');
  await until('the first page is there', async () => (await counted('runs')) === 1000);
  await until('the second page waits', async () => (await counted(`pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)) > 0); // prettier-ignore
  await first.kill();
  await blocker.rollbackTransaction();
  await blocker.release();
  expect(await counted('runs')).toBe(1000);
  await startWorker();
  // 2,500 executions take their time on a busy machine.
  for (let done = 0, before = 0; done < 2500; before = done)
    await until('one more has counted', async () => (done = await counted(`executions WHERE status = 'Success'`)) > before); // prettier-ignore
  expect(await counted('runs')).toBe(2500);
  expect(await counted('(SELECT DISTINCT task_id FROM executions) e')).toBe(2500);
  expect(await counted(`tasks WHERE version = 2`)).toBe(2500);
  expect(await counted('schedule_states WHERE firing IS NULL AND after_task_id IS NULL')).toBe(1);
});

it('20 timers that are due at once start 20 executions, whatever number of workers finds them', async () => {
  await start([], '2026-11-30T12:00:00Z');
  const api = service.client(await service.key('acme'));
  await api.post(tickets, { ID: 'T-1' }).expect(201);
  for (let at = 0; at < 20; at += 1)
    await api.post(`${tickets}/T-1/timers`, { action_id: 'count', at: '2026-12-01T08:00:00Z' }).expect(201);
  await Promise.all([startWorker(), startWorker(), startWorker()]);
  await setTime('2026-12-01T08:00:01Z');
  await until('all have counted', async () => {
    const { body } = (await api.get(`${tickets}/T-1`)) as { body: { Count: string } };
    return body.Count === '20';
  });
  expect(await counted('runs')).toBe(20);
  expect(await counted('(SELECT DISTINCT origin::text FROM executions) e')).toBe(20);
});
