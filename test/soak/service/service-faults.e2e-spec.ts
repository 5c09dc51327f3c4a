import { connect, type Socket } from 'node:net';
import { type DataSource } from 'typeorm';
import { everyType } from '../../support/definitions.js';
import { startOtherProcess } from '../../support/other-process.js';
import { sendRaw } from '../../support/raw-request.js';
import { startServiceWith } from '../../support/service.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

const tasks = '/api/v1/workflows/things/tasks';
const { service, api, key } = await startServiceWith(everyType);

describe('faults of service and clients', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('S1 while 200 clients send slowly, health checks and small reads are answered', async () => {
    await api.post(tasks, { ID: 'small' }).expect(201);
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
      await api.get(n % 2 === 0 ? '/health/live' : `${tasks}/small`).expect(200);
      times.push(performance.now() - begun);
    }
    expect(times.toSorted((a, b) => b - a)[1]).toBeLessThan(5000);
  });

  it('B7 a process that is suspended in a transaction blocks no task, and then answers 503', async () => {
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
});

/** Whether some connection waits for one of these, and not only for a moment. */
async function isWaiting(dataSource: DataSource, ...events: string[]): Promise<boolean> {
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = ANY ($1)
    AND query_start < clock_timestamp() - interval '0.2 s'`;
  return (await dataSource.query<object[]>(text, [events])).length > 0;
}
