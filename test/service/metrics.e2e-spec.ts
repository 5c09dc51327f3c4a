import { readFileSync } from 'node:fs';
import { MetricsServer } from '../../src/common/ops/metrics-server.js';
import { everyType } from '../support/definitions.js';
import { linesOfStart } from '../support/start-here.js';
import { afterRemembering } from '../support/stopped-time.js';
import { startService, type TestService, startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const executions = '/api/v1/workflows/things/executions';
const withAction = everyType.replace(
  '  - id: parts\n',
  '    actions: [{ id: wait, name: Wait, steps: [] }]\n  - id: parts\n',
);

const { service } = await startServiceWith(withAction, { WTS_METRICS_PORT: '0' });

describe('metrics', () => {
  async function read(service: TestService): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${service.app.get(MetricsServer).port}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain;.*version=0\.0\.4/)]); // prettier-ignore
    return answer.text();
  }

  it('are never on the port of the API', async () => {
    await service.client('').get('/metrics').expect(404);
  });

  it('show that Redis is away', async () => {
    const other = await startService({ WTS_METRICS_PORT: '0', REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await read(other)).toMatch(/^wts_redis_up 0$/m);
    await other.stop();
    expect(await read(service)).not.toContain('wts_redis_up');
  });

  it('each alert has a test; one is for a process that is down, one for a Redis that is away', () => {
    const read = (file: string): string => readFileSync(`deploy/prometheus/${file}`, 'utf8');
    const names = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(['WtsProcessDown', 'WtsRedisAway']));
    for (const name of names) expect(read('alerts.test.yml')).toContain(`- name: ${name}\n`);
  });

  it('have the durations of requests by route and status, and no name or id of a client', async () => {
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
    for (const line of [
      /^nodejs_eventloop_lag_seconds /m,
      /^process_resident_memory_bytes /m,
      /^process_cpu_seconds_total /m,
      /^wts_database_waiting 0$/m,
      /^wts_build_info\{version="\d+\.\d+\.\d+"\} 1$/m,
    ])
      expect(text).toMatch(line);
  });

  it('have the executions by state and the age of the oldest Pending, read every 5 s at most', async () => {
    const api = service.client(await service.key('acme'));
    await api.post(tasks, { ID: '1' });
    await api.post(executions, { task_id: '1', action_id: 'wait' }).expect(202);
    const { body } = await api.post(executions, { task_id: '1', action_id: 'wait' }).expect(202);
    await api.delete(`${executions}/${(body as { id: string }).id}`).expect(204);
    let text = '';
    const ageOf = (text: string): number =>
      Number(/^wts_execution_oldest_pending_seconds (.*)$/m.exec(text)?.[1]);
    // The age grows if it is asked; what another test has read is too old here.
    await afterRemembering(5001, async () => {
      text = await read(service);
      expect(ageOf(text)).toBeGreaterThan(0);
      expect(ageOf(await read(service))).toBe(ageOf(text));
    });
    for (const line of ['{state="Pending"} 1', '{state="Success"} 0', '{state="Fail"} 1'])
      expect(text).toContain(`wts_executions${line}\n`);
  });

  it('are served by a worker, beside only /health, and end with the worker', async () => {
    const worker = await startService({ WTS_ROLE: 'worker', WTS_METRICS_PORT: '0' });
    for (const path of ['/health/live', '/health/ready']) await worker.client('').get(path).expect(200);
    for (const path of [tasks, '/api/v1/files/x', '/', '/health', '/nowhere']) {
      const answer = await fetch(worker.url + path, { headers: { Authorization: 'Bearer wts_any' } });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ status: 404, detail: 'This process is a worker: it runs executions and serves only /health.' }); // prettier-ignore
    }
    expect(await read(worker)).toContain('nodejs_eventloop_lag_seconds');
    const { port } = worker.app.get(MetricsServer);
    await worker.stop();
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });

  it('end the start with a sentence if the port is taken', async () => {
    const { port } = service.app.get(MetricsServer);
    const start = linesOfStart(service.config.databaseUrl ?? '', { WTS_METRICS_PORT: String(port) });
    await expect(start).rejects.toThrow(/WTS_METRICS_PORT/);
  });
});
