import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Response } from 'supertest';
import { entities } from '../../../src/features.js';
import { openDatabase } from '../../../src/common/database/open-database.js';
import { readConfig } from '../../../src/config.js';
import { createLogger } from '../../../src/common/logger.js';
import { everyType } from '../../support/definitions.js';
import { type Client, startService } from '../../support/service.js';
import { testOptions } from '../../support/test-options.js';

const tasks = '/api/v1/workflows/things/tasks';
// Longer than a slow machine needs for a request, and shorter than the 5 s that a statement waits for a lock.
const requestMs = 2000;
const withAction = everyType.replace(
  '  - id: parts\n',
  '    actions: [{ id: wait, name: Wait, steps: [] }]\n  - id: parts\n',
);

// Of role api, so that its executions stay Pending.
const settings = { ...testOptions({ requestMs }), WTS_ROLE: 'api', WTS_OUTBOUND_ALLOW: '127.0.0.1/32' };
const service = await startService(settings);
await service.apply(withAction);
const key = await service.key('acme');
const api = service.client(key);
const locker = service.dataSource.createQueryRunner();
afterAll(async () => {
  await locker.release();
  await service.stop();
});

describe('11 limits: the time of a request', () => {
  /** Does the work while nobody else can so much as read a task. */
  async function whileLocked(work: () => Promise<void>): Promise<void> {
    await locker.startTransaction();
    await locker.query('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');
    try {
      await work();
    } finally {
      await locker.rollbackTransaction();
    }
  }

  /** The answer to a request that is not late. */
  async function inTime(send: () => ReturnType<Client['get']>): Promise<Response> {
    for (;;) {
      const answer = await send();
      if (answer.status !== 503) return answer;
    }
  }

  it.each<[string, () => ReturnType<Client['get']>]>([
    ['a list', () => api.get(tasks)],
    ['a write in a transaction', () => api.post(tasks, { ID: 'new', Parts: [{ 'Part ID': 'P' }] })],
    ['a write that may be repeated', () => api.post(tasks, { ID: 'new' }).set('Idempotency-Key', 'k')],
    [
      'an execution',
      () => api.post(tasks.replace('tasks', 'executions'), { task_id: 'held', action_id: 'wait' }),
    ],
  ])('%s that takes longer is 503, and nothing of it is committed', async (_, send) => {
    await inTime(() => api.post(tasks, { ID: 'held' }));
    await inTime(() => api.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'P' }));
    await whileLocked(async () => {
      const begun = performance.now();
      await send().expect(503).expect('Retry-After', '1');
      // A lock would be waited for 5 s.
      expect(performance.now() - begun).toBeLessThan(5000);
    });
    expect((await inTime(() => api.get(tasks))).body).toMatchObject([{ ID: 'held', Parts: [] }]);
  });

  it('of many that are late at once, all are 503, and the service goes on', async () => {
    await whileLocked(async () => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => api.post(tasks, { ID: `many-${n}` })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    });
    expect((await inTime(() => api.get(tasks))).status).toBe(200);
  });

  it('a body that comes slowly is not counted', async () => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    const body = '{"ID":"slow-body"}';
    socket.write(`POST ${tasks} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`); // prettier-ignore
    await pause(requestMs + 300);
    socket.write(body);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 201 /);
    socket.destroy();
  });

  it('a download of a remoteUrl is not counted', async () => {
    const page = createServer((_, response) => setTimeout(() => response.end('late'), requestMs + 300));
    await once(page.listen(0, '127.0.0.1'), 'listening');
    const remoteUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}/late.txt`;
    await api.post(tasks, { ID: 'remote', Contract: [{ remoteUrl }] }).expect(201);
    page.close();
  });

  it('statement_timeout ends statements of the server, not those of the command line', async () => {
    const config = readConfig({
      DATABASE_URL: service.config.databaseUrl,
      ...testOptions({ statementMs: 1000 }),
    });
    const timeOf = async (isServer: boolean): Promise<unknown> => {
      const database = await openDatabase(config, createLogger('silent'), { isServer, entities });
      try {
        return await database.dataSource.query('SELECT pg_sleep(1.5)').catch((error: unknown) => error);
      } finally {
        await database.close();
      }
    };
    expect(await timeOf(true)).toMatchObject({ code: '57014' });
    expect(await timeOf(false)).not.toBeInstanceOf(Error);
  });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
