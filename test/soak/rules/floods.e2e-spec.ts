import { startRules, tickets } from '../../rules/rules.js';
import { until } from '../../support/until.js';

// time.md, 7: nothing is lost and nothing is done twice, however much happens at once.
let setting: Awaited<ReturnType<typeof startRules>>;
afterEach(() => setting.stop());

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

/** Sends many rows at once. */
async function batch(rows: readonly object[]): Promise<void> {
  const { service } = setting;
  const headers = {
    Authorization: `Bearer ${await service.key('acme')}`,
    'Content-Type': 'application/json',
  };
  const sent = { method: 'POST', headers, body: JSON.stringify(rows) };
  await (await fetch(`${service.url}${tickets}/batch`, sent)).text();
}

it('1,000 edits of one task in a second start 1,000 executions, one after the other', async () => {
  setting = await startRules([
    'id: count, on: field_changed, field: Value, run: count, limit: { per_rule: 5000 per minute }',
  ]);
  await setting.api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  await batch(Array.from({ length: 1000 }, (_, n) => ({ ID: '1', Value: n + 1 })));
  await succeeded(1000);
  expect((await setting.api.get(`${tickets}/1`)).body).toMatchObject({ Count: '1000', Value: '1000.00' });
  expect(await counted('(SELECT DISTINCT event_id FROM runs) r')).toBe(1000);
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
  expect(await counted(`(SELECT DISTINCT task_id FROM executions) e`)).toBe(500);
  expect(await counted(`(SELECT created_at, lag(task_id) OVER (ORDER BY place) > task_id AS back FROM executions) e WHERE back`)).toBe(0); // prettier-ignore
});

it('an apply during a burst: each event is judged once, by one definition or the other', async () => {
  const rule = (run: string): string =>
    `id: one, on: created, run: ${run}, limit: { per_rule: 5000 per minute }`;
  setting = await startRules([rule('count')]);
  const creates = async (from: number): Promise<void> => {
    for (let n = from; n < 200; n += 4) await setting.api.post(tickets, { ID: `${n}` }).expect(201);
  };
  const burst = Promise.all([0, 1, 2, 3].map(creates));
  for (const run of ['fill', 'count', 'fill']) await setting.rules([rule(run)]);
  await burst;
  await succeeded(200);
  expect(await counted('runs')).toBe(200);
  expect(await counted('(SELECT DISTINCT task_id FROM runs) r')).toBe(200);
});
