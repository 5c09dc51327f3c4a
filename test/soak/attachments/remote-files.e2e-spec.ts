import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { inline, stateOf } from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

const tasks = '/api/v1/workflows/things/tasks';
const inside = '127.0.0.1';

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A web server whose pages are these, by their paths. */
async function website(pages: Readonly<Record<string, RequestListener>>): Promise<string> {
  const server = createServer((request, response) => pages[request.url ?? '']?.(request, response));
  await once(server.listen(0, inside), 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return `http://${inside}:${(server.address() as AddressInfo).port}`;
}

const answer =
  (body: string): RequestListener =>
  (_, response) =>
    void response.end(body);

/** A service; no download takes too long where the machine is slow, unless a test wants it. */
async function start(downloadMs = 600_000): Promise<{ service: TestService; api: Client }> {
  const settings = { WTS_OUTBOUND_ALLOW: `${inside}/32`, ...testOptions({ downloadMs }) };
  const service = await startService(settings);
  closers.push(() => service.stop());
  await service.apply(
    workflowOf([
      'name: ID, type: uniqueId, required: true',
      'name: Title, type: text',
      'name: Docs, type: file',
    ]),
  );
  return { service, api: service.client(await service.key('acme')) };
}

describe('2.2 remoteUrl', () => {
  it('F7 while 30 payloads wait for slow targets others read and write, and no transaction is open', async () => {
    const waiting: ServerResponse[] = [];
    const page = (_: unknown, response: ServerResponse): void => void waiting.push(response);
    const { service, api } = await start();
    const slow = [await website({ '/slow': page }), await website({ '/slow': page })];
    await api.post(tasks, { ID: 'busy' }).expect(201);
    const payloads = Array.from({ length: 30 }, (_, n) =>
      api
        .post(tasks, { ID: `slow${n}`, Docs: [{ remoteUrl: `${slow[n % 2]}/slow` }] })
        .then(({ status }) => status),
    );
    await until(() => waiting.length === 30);
    for (let n = 1; n <= 10; n++) {
      await api.put(tasks, { ID: 'busy', Title: `${n}`, Docs: [inline(`${n}`)] }).expect(200);
      expect((await api.get(`${tasks}/busy`).expect(200)).body).toMatchObject({ Title: `${n}` });
      // One of the background may be open for a moment.
      await until(async () => (await idleInTransaction(service)) === 0);
    }
    expect(waiting).toHaveLength(30);
    for (const response of waiting) response.end('at last');
    expect(new Set(await Promise.all(payloads))).toEqual(new Set([201]));
  });
});

async function idleInTransaction({ dataSource }: TestService): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    `SELECT count(*)::integer FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND state_change < now() - interval '0.2 seconds'`,
  );
  return row?.count ?? -1;
}

describe('2.2 remoteUrl: the time of all downloads of a payload', () => {
  it('ends with 422, whether the target says nothing, never ends or redirects for ever; then nothing is stored', async () => {
    const { service, api } = await start(300);
    let opened = 0;
    let closed = 0;
    const slow = await website({
      '/silent': (_, response) => {
        opened++;
        response.on('close', () => closed++);
      },
      '/drops': (_, response) => {
        opened++;
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => {
          clearInterval(drip);
          closed++;
        });
      },
      '/a': answer('a'),
    });
    await api.post(tasks, { ID: 'slow', Docs: [inline('a')] }).expect(201);
    const errors = { Docs: ['could not be downloaded: it took too long'] };
    for (const path of ['/silent', '/drops']) {
      const before = [await stateOf(service), opened] as const;
      // A slow machine may use the time up before it asks, and then the other file is late, too.
      await until(`a request for ${path}`, async () => {
        const Docs = [{ remoteUrl: `${slow}/a` }, { remoteUrl: `${slow}${path}` }];
        const { status, body } = await api.post(tasks, { ID: 'slow', Docs });
        const reasons = (body as { errors: { Docs: string[] } }).errors.Docs;
        expect([status, new Set(reasons)]).toEqual([422, new Set(errors.Docs)]);
        expect(await stateOf(service)).toEqual(before[0]);
        return opened > before[1];
      });
    }
    await until(() => closed === opened);
  });
});
