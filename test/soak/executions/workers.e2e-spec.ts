import { callsTo, cases, executions } from '../../support/calling-cases.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { startReceiver } from '../../support/receiver.js';
import { startServiceWith } from '../../support/service.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

const receiver = await startReceiver();
const shared = { WTS_OUTBOUND_ALLOW: '127.0.0.1/32' };
const { service, api, key } = await startServiceWith(callsTo(receiver.url), {
  ...shared,
  WTS_ROLE: 'api',
});
const place = { ...shared, WTS_BLOB_STORE: service.config.blobStore ?? '' };

// The tests of faults kill workers, and let them sleep longer than their leases.
describe('WTS_ROLE: an api and workers as processes, which end cleanly', () => {
  const begun: OtherProcess[] = [];

  afterEach(async () => {
    await Promise.all(begun.splice(0).map((worker) => worker.kill()));
  });
  afterAll(() => {
    receiver.stop();
  });

  async function startWorker(environment: Record<string, string> = {}): Promise<OtherProcess> {
    const settings = { ...place, WTS_ROLE: 'worker', ...environment };
    const worker = await startOtherProcess(service.config.databaseUrl ?? '', settings);
    begun.push(worker);
    return worker;
  }

  /** Begins the action on a new case. */
  async function start(action_id: string, ID: string): Promise<string> {
    await api.post(cases, { ID, Count: 0 }).expect(201);
    return ((await api.post(executions, { task_id: ID, action_id }).expect(202)).body as { id: string }).id;
  }

  async function end(id: string): Promise<unknown> {
    let execution: { readonly status?: string } = {};
    await until('the end of an execution', async () => {
      execution = await api.read(`${executions}/${id}`);
      return execution.status !== 'Pending';
    });
    return execution.status;
  }

  const keysOf = (path: string): unknown[] =>
    receiver.of(path).map(({ headers }) => headers['idempotency-key']);
  const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

  it('SIGTERM in mid call: the lease is given back at once, and the process ends with 0 within seconds', async () => {
    receiver.answer('/stopped/second', (response, _, earlier) => {
      if (earlier > 0) response.end();
    });
    const settings = testOptions({ leaseMs: 600_000 });
    const worker = await startWorker(settings);
    const id = await start('call', 'stopped');
    await receiver.called('/stopped/second');
    await startWorker(settings);
    const asked = performance.now();
    expect(await worker.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(15_000);
    expect(await end(id)).toBe('Success');
    expect(keysOf('/stopped/first')).toEqual([`${id}.1`]);
    expect(keysOf('/stopped/second')).toEqual([`${id}.2`, `${id}.2`]);
  });

  /** The id of the execution of this task, once there is one. */
  async function pending(task: string): Promise<string> {
    let found: { id: string }[] = [];
    await until('an execution', async () => {
      found = await api.read(`${executions}?task_id=${task}`);
      return found.length > 0;
    });
    return found[0]?.id ?? '';
  }

  it('`Prefer: wait` is answered at shutdown, though the execution has not ended', async () => {
    const other = await startWorker({ WTS_ROLE: 'api' });
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Prefer: 'wait=25',
    };
    await api.post(cases, { ID: 'waiting', Count: 0 }).expect(201);
    const body = JSON.stringify({ task_id: 'waiting', action_id: 'move' });
    const posted = fetch(other.url + executions, { method: 'POST', headers, body });
    const id = await pending('waiting');
    const read = fetch(`${other.url}${executions}/${id}`, { headers });
    // The requests are waiting by now; were they not, they would be answered all the same.
    await pause(500);
    const asked = performance.now();
    expect(await other.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(15_000);
    const [post, get] = await Promise.all([posted, read]);
    expect([post.status, await post.json()]).toEqual([202, { id, status: 'Pending' }]);
    expect([get.status, await get.json()]).toEqual([200, { id, status: 'Pending' }]);
    await startWorker();
    expect(await end(id)).toBe('Success');
  });
});
