import { connect, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { type DataSource } from 'typeorm';
import { createLogger } from '../../../src/common/logger.js';
import { hasRedis, startRedis } from '../../support/redis.js';
import { everyType } from '../../support/definitions.js';
import { startOtherProcess } from '../../support/other-process.js';
import { sendRaw } from '../../support/raw-request.js';
import { startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

const tasks = '/api/v1/workflows/things/tasks';
const maybe = hasRedis() || process.env['CI'] ? it : it.skip;
describe('faults of service and clients', () => {
  const started: TestService[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const service of started.splice(0)) await service.stop();
  });

  async function start(...given: Parameters<typeof startService>): Promise<TestService> {
    const service = await startService(...given);
    started.push(service);
    await service.apply(everyType);
    return service;
  }

  it('S1 while 200 clients send slowly, health and small reads are answered', async () => {
    const service = await start();
    const key = await service.key('acme');
    await service.client(key).post(tasks, { ID: '1' }).expect(201);
    const head = `POST ${tasks} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    for (let n = 0; n < 200; n += 1) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      // One half never ends its headers, the other its body.
      socket.write(n % 2 === 0 ? head : `${head}Content-Length: 1000\r\n\r\n{`);
      sockets.push(socket);
    }
    const times: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      const begun = performance.now();
      await service.client(key).get(n % 2 === 0 ? '/health/live' : `${tasks}/1`).expect(200); // prettier-ignore
      times.push(performance.now() - begun);
    }
    expect(times.toSorted((a, b) => b - a)[1]).toBeLessThan(5000);
  });

  it('B7 a process stopped in a transaction blocks no task; after it continues, it answers 503 and works on', async () => {
    const service = await start();
    const key = await service.key('acme');
    const api = service.client(key);
    await api.post(tasks, { ID: '1' }).expect(201);
    await api.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'p' }).expect(201);
    const { databaseUrl = '', blobStore = '' } = service.config;
    const other = await startOtherProcess(databaseUrl, { WTS_BLOB_STORE: blobStore, ...testOptions({ idleTransactionMs: 3000 }) }); // prettier-ignore
    const headers = [['Authorization', `Bearer ${key}`], ['Content-Type', 'application/json']] as const; // prettier-ignore
    const put = { method: 'PUT', path: tasks, headers, body: '{"ID":"1","Text":"stopped","Parts":[{"Part ID":"p"}]}' }; // prettier-ignore
    try {
      // It holds the one task and waits for the other, which its transaction gets while it is stopped.
      const answer = await service.dataSource.transaction(async (tx) => {
        await tx.query(`SELECT FROM tasks WHERE unique_value = 'p' FOR UPDATE`);
        const begun = sendRaw(other.url, put);
        await until(() => isWaiting(service.dataSource, 'transactionid', 'tuple'));
        process.kill(other.pid, 'SIGSTOP');
        return { begun };
      });
      await until(async () => (await api.put(tasks, { ID: '1', Text: 'goes on' })).status === 200);
      process.kill(other.pid, 'SIGCONT');
      expect((await answer.begun).status).toBe(503);
      expect((await api.get(`${tasks}/1`)).body).toMatchObject({ Text: 'goes on', Parts: [] });
      await until('it goes on', async () => (await sendRaw(other.url, put)).status === 200);
    } finally {
      process.kill(other.pid, 'SIGCONT');
      await other.stop();
    }
  });

  maybe(
    'T10 neither the database, the log nor a name in Redis holds a key or the bytes of a file',
    async () => {
      const lines: string[] = [];
      const redis = await startRedis();
      const logger = createLogger('trace', { write: (line) => void lines.push(line) });
      const service = await start({ REDIS_URL: redis.url, WTS_RATE_LIMIT: '1000' }, logger);
      const keys = [await service.key('acme'), await service.key('acme', 'read'), await service.key('acme')];
      const base64contents = Buffer.from('planted bytes of a file').toString('base64');
      for (const key of keys) {
        const api = service.client(key);
        const file = { filename: 'a.txt', contentType: 'text/plain', base64contents };
        await api.post(tasks, { ID: '1', Contract: [file] });
        await api.get(`${tasks}/1`).expect(200);
        await api.get(`${tasks}/1?api_key=${key}`);
        await service.client(`${key}x`).get(tasks).expect(401);
      }
      const rows = await rowsOf(service);
      const store = new Redis(redis.url);
      const names = (await store.keys('*')).join('\n');
      store.disconnect();
      expect(names).toContain('wts:requests:');
      expect(rows).toContain('a.txt');
      expect(lines.length).toBeGreaterThan(9);
      for (const secret of [...keys, base64contents, 'planted bytes'])
        for (const text of [rows, names, lines.join('')]) expect(text).not.toContain(secret);
      await redis.stop();
    },
  );

  it('T11 refusals reveal no SQL, code, paths, hosts or versions', async () => {
    const service = await start();
    const api = service.client(await service.key('acme'));
    const refused = await Promise.all([
      api.get('/nowhere'),
      api.get(`${tasks}/none`),
      api.get(`${tasks}?Nope=1&Number=x&_sort=Nope`),
      api.post(tasks, '{'),
      api.post(tasks, { ID: '\u0000', Number: '9'.repeat(50), Day: '2024-02-30', Owner: "' OR 1=1" }),
      api.post(tasks, { ID: '1', Contract: [{ blobId: '../../etc/passwd' }] }),
      api.post(tasks, { ID: '1', Contract: [{ remoteUrl: 'http://127.0.0.1:5432/' }] }),
      service.client('wts_none').get(tasks),
    ]);
    for (const { status, text, headers } of refused) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(text).not.toMatch(
        /\b(SELECT|INSERT|UPDATE|relation|column|syntax|pg_|typeorm|nestjs|express)\b/i,
      );
      expect(text).not.toMatch(
        /\bat \S+:\d+|node_modules|\/src\/|\.js\b|127\.0\.0\.1|5432|localhost|ECONN|v\d+\.\d+/,
      );
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  });
});

/** Whether some connection waits for one of these, and not only for a moment. */
async function isWaiting(dataSource: DataSource, ...events: string[]): Promise<boolean> {
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = ANY ($1)
    AND query_start < clock_timestamp() - interval '0.2 s'`;
  return (await dataSource.query<object[]>(text, [events])).length > 0;
}

/** All rows of all tables as one text. */
async function rowsOf({ dataSource }: TestService): Promise<string> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}
