import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { entities } from '../../../src/features.js';
import { openDatabase } from '../../../src/common/database/open-database.js';
import { readConfig } from '../../../src/config.js';
import { createLogger } from '../../../src/common/logger.js';
import { everyType } from '../../support/definitions.js';
import { startServiceWith } from '../../support/service.js';
import { testOptions } from '../../support/test-options.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
// Longer than a slow machine needs for a request, and shorter than a statement waits for a lock.
const requestMs = 2000;
const settings = { ...testOptions({ requestMs }), WTS_OUTBOUND_ALLOW: '127.0.0.1/32' };
const { service, api, key } = await startServiceWith(everyType, settings);

// That a late request is 503, and nothing of it is committed: test/http/request-time.e2e-spec.ts.
describe('11 limits: the time of a request', () => {
  it('of many that are late at once, all are 503, and the service goes on', async () => {
    await service.dataSource.transaction(async (tx) => {
      await tx.query('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');
      const all = Array.from({ length: 60 }, (_, n) => api.post(tasks, { ID: `many-${n}` }));
      expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([503]));
    });
    await until('a list in time', async () => (await api.get(tasks)).status === 200);
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
