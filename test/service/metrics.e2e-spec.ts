import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { MetricsServer } from '../../src/ops/metrics-server.js';
import { everyType } from '../support/definitions.js';
import { startOtherProcess } from '../support/other-process.js';
import { hasRedis, startRedis } from '../support/redis.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const executions = '/api/v1/workflows/things/executions';
const maybe = hasRedis() || process.env['CI'] ? it : it.skip;
const withAction = everyType.replace(
  '  - id: parts\n',
  '    actions: [{ id: wait, name: Wait, steps: [] }]\n  - id: parts\n',
);

describe('metrics', () => {
  const started: TestService[] = [];
  afterEach(async () => {
    for (const service of started.splice(0)) await service.stop();
  });

  async function start(environment: Record<string, string> = {}): Promise<TestService> {
    const service = await startService({ WTS_METRICS_PORT: '0', ...environment });
    started.push(service);
    await service.apply(withAction);
    return service;
  }

  async function read(service: TestService): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${service.app.get(MetricsServer).port}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain;.*version=0\.0\.4/)]); // prettier-ignore
    return answer.text();
  }

  it('are nowhere by default, and never on the port of the API', async () => {
    const service = await startService();
    started.push(service);
    expect(service.app.get(MetricsServer).port).toBeUndefined();
    await service.client('').get('/metrics').expect(404);
  });

  it('tell the durations of requests by route and status, and no name or id of a client', async () => {
    const service = await start();
    const api = service.client(await service.key('acme'));
    await api.post(tasks, { ID: 'planted' }).expect(201);
    await api.get(`${tasks}/planted`).expect(200);
    await api.get(`${tasks}/planted?planted=1`).expect(422);
    await api.get(`${tasks}/planted-other`).expect(404);
    await api.get('/planted/nowhere').expect(404);
    await service.client('').get(`${tasks}/planted`).expect(401);
    const text = await read(service);
    const series = [...text.matchAll(/^wts_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)];
    expect(Object.fromEntries(series.map(([, labels, count]) => [labels, count]))).toMatchObject({
      'method="POST",route="/api/v1/workflows/:workflow_id/tasks",status="201"': '1',
      'method="GET",route="/api/v1/workflows/:workflow_id/tasks/:unique_id",status="200"': '1',
      'method="GET",route="/api/v1/workflows/:workflow_id/tasks/:unique_id",status="404"': '1',
      'method="GET",route="/api/v1/workflows/:workflow_id/tasks/:unique_id",status="422"': '1',
      'method="GET",route="/api/v1/workflows/:workflow_id/tasks/:unique_id",status="401"': '1',
    });
    expect(text).not.toContain('planted');
    expect(text).not.toContain('acme');
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'])
      expect(text).toMatch(new RegExp(`^${name} `, 'm')); // prettier-ignore
    expect(text).toMatch(/^wts_database_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^wts_database_waiting 0$/m);
    expect(text).toMatch(/^wts_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  });

  it('tell the executions by state and the age of the oldest Pending, asked every 5 s at most', async () => {
    const service = await start({ WTS_ROLE: 'api' });
    const api = service.client(await service.key('acme'));
    await api.post(tasks, { ID: '1' });
    await api.post(executions, { task_id: '1', action_id: 'wait' }).expect(202);
    const { body } = await api.post(executions, { task_id: '1', action_id: 'wait' }).expect(202);
    await api.delete(`${executions}/${(body as { id: string }).id}`).expect(204);
    const ageOf = (text: string): number =>
      Number(/^wts_execution_oldest_pending_seconds (.*)$/m.exec(text)?.[1]);
    let text = '';
    // What cannot be read in time is left out, and two readings may be more than 5 s apart. The age grows if it is asked.
    await until('two readings of one answer', async () => {
      text = await read(service);
      return ageOf(text) > 0 && ageOf(await read(service)) === ageOf(text);
    });
    for (const line of ['{state="Pending"} 1', '{state="Success"} 0', '{state="Fail"} 1'])
      expect(text).toContain(`wts_executions${line}\n`);
  });

  maybe('tell the depth of the queue, and leave out what cannot be read', async () => {
    const redis = await startRedis();
    const service = await start({ REDIS_URL: redis.url });
    await until(async () => /^wts_queue_jobs\{state="waiting"\} 0$/m.test(await read(service)));
    await redis.stop();
    await until(async () => !(await read(service)).includes('wts_queue_jobs{'));
  });

  it('are answered when the database is away, without what only that knows', async () => {
    const service = await startService({ WTS_METRICS_PORT: '0' }, undefined, { isProxied: true });
    started.push(service);
    await service.proxy?.cut();
    const text = await read(service);
    expect(text).toContain('wts_database_connections');
    expect(text).not.toMatch(/^wts_executions\{/m);
    expect(text).not.toMatch(/^wts_execution_oldest_pending_seconds /m);
    await service.proxy?.mend();
  });

  it('close with the service', async () => {
    const service = await startService({ WTS_METRICS_PORT: '0' });
    const { port } = service.app.get(MetricsServer);
    await service.stop();
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });

  it('a worker answers /health and metrics, and nothing else', async () => {
    const service = await start({ WTS_ROLE: 'worker' });
    const key = await service.key('acme');
    for (const path of ['/health/live', '/health/ready']) await service.client('').get(path).expect(200);
    for (const path of [tasks, '/api/v1/files/x', '/', '/health', '/nowhere']) {
      const answer = await fetch(service.url + path, { headers: { Authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ status: 404, detail: 'This process is a worker: it runs executions and serves only /health.' }); // prettier-ignore
    }
    expect(await read(service)).toContain('nodejs_eventloop_lag_seconds');
  });

  it('a port that is taken ends the start with a sentence', async () => {
    const service = await start();
    const port = String(service.app.get(MetricsServer).port);
    await expect(
      startOtherProcess(service.config.databaseUrl ?? '', { WTS_METRICS_PORT: port }),
    ).rejects.toThrow('ended');
  });
});

it('/health/ready looks at the database once a second at most', async () => {
  const service = await startService();
  try {
    const query = jest.spyOn(service.app.get(DataSource), 'query');
    const begun = performance.now();
    for (let n = 0; n < 100; n += 1) await service.client('').get('/health/ready').expect(200);
    const looks = query.mock.calls.filter(([text]) => text === 'SELECT 1');
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThanOrEqual(1 + (performance.now() - begun) / 1000);
  } finally {
    jest.restoreAllMocks();
    await service.stop();
  }
});
