import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { type Queue } from 'bull';
import { DataSource } from 'typeorm';
import { QUEUE } from '../../src/common/jobs/job-queue.js';
import { MetricsServer } from '../../src/common/ops/metrics-server.js';
import { createLogger } from '../../src/common/logger.js';
import { TasksService } from '../../src/tasks/tasks.service.js';
import { TaskWriter } from '../../src/tasks/write-task.js';
import { everyType } from '../support/definitions.js';
import { hasRedis, startRedis } from '../support/redis.js';
import { told } from '../support/told.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { afterRemembering } from '../support/stopped-time.js';

// What package.json says, and what `wts --version` does.
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const tasks = '/api/v1/workflows/things/tasks';

describe('logs and health', () => {
  let service: TestService;
  let key: string;
  let api: Client;
  const lines: string[] = [];
  const arrivals = new EventEmitter();

  beforeAll(async () => {
    const write = (line: string): void => {
      lines.push(line);
      arrivals.emit('line');
    };
    service = await startService({}, createLogger('trace', { write }));
    await service.apply(everyType.replace('  - id: parts\n', `    actions: ${actions}\n  - id: parts\n`));
    key = await service.key('acme');
    api = service.client(key);
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    lines.length = 0;
    jest.restoreAllMocks();
  });

  /** The lines of this message and request, once there is one: some come after the answer. */
  async function logged(msg: string, requestId?: string): Promise<Record<string, unknown>[]> {
    for (;;) {
      const found = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(
          (line) => line['msg'] === msg && (requestId === undefined || line['request_id'] === requestId),
        );
      if (found.length > 0) return found;
      await once(arrivals, 'line');
    }
  }

  it('a request is one JSON line: method, path, key and duration', async () => {
    await api.post(tasks, { ID: 'planted-id' }).set('X-Request-Id', 'log-1').expect(201);
    const [row] = await service.dataSource.query<{ id: string }[]>('SELECT id FROM api_keys');
    const line = {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      request_id: 'log-1',
      key_id: row?.id,
      workspace: 'acme',
      workflow: 'things',
      method: 'POST',
      route: '/api/v1/workflows/:workflow_id/tasks',
      status: 201,
      duration_ms: expect.any(Number) as unknown,
      msg: 'request',
    };
    expect(await logged('request', 'log-1')).toEqual([line]);
  });

  it('the log never holds a key, a payload or a path with ids of people', async () => {
    await api.post(tasks, { ID: 'planted-id', Text: 'planted-payload' }).set('X-Request-Id', 'log-2');
    await api.post(tasks, { ID: 'planted-id', Text: 'planted-payload', Day: 'planted-value' }).expect(422);
    await api.get(`${tasks}/planted-id?planted-query=1`);
    jest.spyOn(service.app.get(TaskWriter), 'write').mockImplementation(() => {
      const told = { parameters: ['planted-payload'], detail: 'Key (planted-id)', query: 'planted' };
      throw Object.assign(new Error('insert failed'), told);
    });
    await api
      .post(tasks, { ID: 'planted-id', Text: 'planted-payload' })
      .set('X-Request-Id', 'log-3')
      .expect(500);
    for (const msg of ['request failed', 'request']) expect(await logged(msg, 'log-3')).toHaveLength(1);
    expect(lines.join('')).not.toMatch(/planted/);
    expect(lines.join('')).not.toContain(key);
  });

  it.each<[string, string, object]>([
    ['ids, status and duration', 'finish', { status: 'Success' }],
    ['the cause, which names nothing that a task holds', 'copy', { status: 'Fail', cause: 'Copy: a value is refused' }],
    ['no message of a requirement that is not met', 'judged', { status: 'Fail', cause: 'a requirement is not met' }],
    ['the secret that is missing', 'call', { status: 'Fail', cause: 'Call: the secret TOKEN is not set: WTS_SECRET_ACME__TOKEN' }],
    ['the calls of other systems', 'lost', { status: 'Fail', cause: expect.any(String), calls: [{ step: 'Ask', tries: 2, ms: expect.any(Number) as unknown }] }],
  ])('the end of an execution is one line, with %s', async (_, action, end) => {
    const ID = `planted-${action}`;
    const task = await api.send<Record<string, string>>(tasks, { ID, Text: 'planted-payload' });
    await api.post('/api/v1/workflows/things/executions', { task_id: ID, action_id: action }).expect(202);
    await api.put(tasks, { ID, Text: 'planted-later' }).expect(200);
    lines.length = 0;
    await service.settle();
    const line = {
      level: 'info',
      time: expect.any(String) as unknown,
      execution: expect.stringMatching(/^[\w-]{16}$/) as unknown,
      workspace: 'acme',
      workflow: 'things',
      action,
      task: task['Task URL']?.split('/').at(-1),
      ...end,
      duration_ms: expect.any(Number) as unknown,
      msg: 'execution',
    };
    expect(await logged('execution')).toEqual([line]);
    expect(lines.join('')).not.toContain('planted');
  }); // prettier-ignore

  it('a fault of the service is a clean 500, and the process continues', async () => {
    const fault = new Error('secret detail of table tasks');
    jest.spyOn(service.app.get(TasksService), 'read').mockRejectedValue(fault);
    const { body } = await api.get(`${tasks}/1`).expect(500);
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'The service failed: its log has the error under this request id.',
      request_id: expect.any(String) as unknown,
    });
    jest.restoreAllMocks();
    await api.get(tasks).expect(200);
  });

  it('/health/live touches nothing, /health/ready looks at PostgreSQL; both are public', async () => {
    const anybody = service.client('');
    const query = jest.spyOn(service.dataSource, 'query');
    for (let n = 0; n < 20; n += 1)
      expect(await anybody.read('/health/live')).toEqual({ status: 'ok', version });
    expect(query).not.toHaveBeenCalledWith('SELECT 1');
    expect(await anybody.read('/health/ready')).toEqual({ status: 'ok', postgres: 'up' });
  });

  it('/health/ready checks the database at most once a second', async () => {
    const query = jest.spyOn(service.app.get(DataSource), 'query');
    const looks = (): number => query.mock.calls.filter(([text]) => text === 'SELECT 1').length;
    const ready = async (): Promise<void> => {
      await service.client('').get('/health/ready').expect(200);
    };
    await afterRemembering(1001, async () => {
      for (let n = 0; n < 5; n += 1) await ready();
      expect(looks()).toBe(1);
    });
    await afterRemembering(3000, ready);
    expect(looks()).toBe(2);
  });

  it('a connection stays open longer than load balancers keep it', async () => {
    const { headers } = await fetch(`${service.url}/health/live`);
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('without PostgreSQL the service is not ready, and answers 503 with Retry-After', async () => {
    const settings = { WTS_METRICS_PORT: '0' };
    const proxied = await startService(settings, createLogger('silent'), { isProxied: true });
    try {
      await proxied.apply(everyType);
      const secret = await proxied.key('acme');
      const client = proxied.client(secret);
      await client.get(tasks).expect(200);
      await proxied.proxy?.cut();
      for (const request of [client.get(tasks), client.post(tasks, { ID: '1' }), client.get(`${tasks}/1`)])
        expect((await request.expect(503)).headers['retry-after']).toBe('1');
      // A batch whose rows still come is answered too, though nobody reads them any more.
      const socket = connect({ port: Number(new URL(proxied.url).port), host: '127.0.0.1' });
      const head = `POST ${tasks}/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n`;
      socket.write(`${head}Content-Type: application/x-ndjson\r\nContent-Length: 900000\r\n\r\n`);
      socket.write('{"ID":"1"}\n'.repeat(50_000));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
      // The rest of the body is read, so the next request of the connection is answered.
      socket.write(
        `${'\n'.repeat(350_000)}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
      await client.get('/health/live').expect(200);
      await client.get('/health/ready').expect(503, { status: 'unavailable', postgres: 'down' });
      // Metrics are told without what only the database knows.
      const metrics = await metricsOf(proxied);
      expect(metrics).toContain('wts_database_waiting');
      expect(metrics).not.toMatch(/^wts_execution(s\{|_oldest_pending_seconds )/m);
      await proxied.proxy?.mend();
      await client.post(tasks, { ID: '1' }).expect(201);
    } finally {
      await proxied.stop();
    }
  });

  // CI fails where there is none; on a machine without Redis there is nothing to say.
  (hasRedis() || process.env['CI'] ? it : it.skip)('with its Redis it says so', async () => {
    const redis = await startRedis();
    const whole = await startService({ REDIS_URL: redis.url });
    try {
      await whole.app.get<Queue>(QUEUE, { strict: false }).isReady();
      await told(whole);
      const ready = await whole.client('').read('/health/ready');
      expect(ready).toEqual({ status: 'ok', postgres: 'up', redis: 'up' });
    } finally {
      await whole.stop();
      await redis.stop();
    }
  });

  it('without its Redis the service is ready but degraded', async () => {
    const lame = await startService({ REDIS_URL: 'redis://127.0.0.1:1' });
    const ready = await lame.client('').read('/health/ready');
    await lame.stop();
    expect(ready).toEqual({ status: 'degraded', postgres: 'up', redis: 'down' });
  });
});

async function metricsOf({ app }: TestService): Promise<string> {
  return (await fetch(`http://127.0.0.1:${app.get(MetricsServer).port}/metrics`)).text();
}

const actions = `[
      { id: finish, name: Finish, steps: [{ name: Note, type: update_fields, set: { Text: done } }] },
      { id: copy, name: Copy, steps: [{ name: Copy, type: update_fields, set: { Number: '{{Text}}' } }] },
      { id: judged, name: Judged, requirements: { conditions: [{ when: 'task.Text == "planted-payload"', message: planted }] } },
      { id: lost, name: Lost, steps: [{ name: Ask, type: api_call, url: 'https://x.test/', tries: 2 }] },
      { id: call, name: Call, steps: [{ name: Call, type: api_call, url: 'https://x.test/', headers: { X-Key: '{{secret.TOKEN}}' } }] }]`;
