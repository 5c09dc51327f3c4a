import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { PassThrough } from 'node:stream';
import { type Response } from 'supertest';
import { createLogger } from '../../../src/lib/logger.js';
import { download, filesOf, inline, stateOf } from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const maxFileBytes = 100_000;
const inside = '127.0.0.1';
const outside = '127.0.0.2';

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function listen(server: Server, host: string, port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A web server whose pages are these, by their paths. */
async function website(host: string, pages: Readonly<Record<string, RequestListener>>): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const page = pages[new URL(request.url ?? '', 'http://x').pathname];
    if (page) page(request, response);
    else response.writeHead(404).end('secret');
  });
  const port = await listen(server, host);
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return `http://${host}:${port}`;
}

const ok =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(code, headers).end();

interface Started {
  readonly service: TestService;
  readonly api: Client;
  /** All that was logged. */
  readonly log: () => string;
}

async function start(environment: Readonly<Record<string, string>> = {}): Promise<Started> {
  const destination = new PassThrough();
  let log = '';
  destination.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const logger = createLogger('trace', destination);
  // No download takes too long where the machine is slow, unless a test wants it.
  const usual = { WTS_MAX_FILE_BYTES: `${maxFileBytes}`, WTS_DOWNLOAD_MS: '600000' };
  const service = await startService({ ...usual, ...environment }, logger);
  closers.push(() => service.stop());
  await service.apply(
    workflowOf([
      'name: ID, type: uniqueId, required: true',
      'name: Title, type: text',
      'name: Docs, type: file',
      'name: Photos, type: file',
    ]),
  );
  return { service, api: service.client(await service.key('acme')), log: () => log };
}

/** The task is refused in exactly these words, and nothing of the payload stays. */
async function expectRefused({ service, api }: Started, payload: object, errors: object): Promise<void> {
  const before = await stateOf(service);
  const answer = await api.post(tasks, payload);
  expect([payload, answer.status, answer.body]).toEqual([payload, 422, { errors }]);
  expect(await stateOf(service)).toEqual(before);
}

describe('2.2 remoteUrl', () => {
  let started: Started;
  let api: Client;
  let site: string;
  /** The ends of the connections on which a file was requested that never ends. */
  const ends: Promise<unknown>[] = [];

  beforeAll(async () => {
    started = await start({ WTS_OUTBOUND_ALLOW: `${inside}/32` });
    api = started.api;
    const hops = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [`/hop${n}`, status([0, 301, 302, 303, 307, 308, 302][n] ?? 0, { Location: n === 1 ? '/dir/a.txt' : `hop${n - 1}` })]), // prettier-ignore
    );
    site = await website(inside, {
      '/dir/a.txt': ok('aaa', { 'Content-Type': 'text/plain; charset=utf-8' }),
      '/': ok('root'),
      '/named': ok('n', {
        'Content-Disposition': `attachment; filename="x"; filename*=UTF-8''%E2%82%AC.txt`,
      }),
      '/announced': ok(Buffer.alloc(maxFileBytes + 1)),
      '/chunked': (_, response) => {
        for (let n = 0; n < 11; n++) response.write(Buffer.alloc(10_000));
        response.end();
      },
      '/short': (_, response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('half');
        setTimeout(() => response.destroy(), 20);
      },
      '/endless': (_, response) => {
        ends.push(once(response.writeHead(200), 'close'));
        response.write('half');
      },
      '/gzip': ok('x', { 'Content-Encoding': 'gzip' }),
      '/nowhere': status(302),
      '/inside': status(302, { Location: `http://${outside}:1234/` }),
      ...hops,
    });
  });

  const fetched = async (id: string, ...Docs: object[]): Promise<Response> =>
    api.post(tasks, { ID: id, Docs });

  it.each([
    ['from the request', { filename: 'mine.bin', contentType: 'image/png' }, '/named', 'mine.bin', 'image/png', 'n'],
    ['from Content-Disposition', {}, '/named', '\u20ac.txt', 'application/octet-stream', 'n'],
    ['from the last segment of the path', {}, '/dir/a.txt?b=c#d', 'a.txt', 'text/plain; charset=utf-8', 'aaa'],
    ['from nowhere', {}, '/', 'file', 'application/octet-stream', 'root'],
  ] as const)('name and type are taken %s', async (what, given, path, filename, contentType, bytes) => {
    const answer = await fetched(what, { remoteUrl: `${site}${path}`, ...given });
    const [file] = filesOf(answer, 'Docs');
    expect([answer.status, filesOf(answer, 'Docs')]).toEqual([201, [{ blobId: file?.blobId, contentType, filename }]]);
    expect((await download(api, file?.blobId ?? '')).body.toString()).toBe(bytes);
  }); // prettier-ignore

  it('a download ends when the file cannot be stored, though the other server goes on', async () => {
    const folder = started.service.config.blobStore ?? '';
    await rename(folder, `${folder}-away`);
    expect((await fetched('endless', { remoteUrl: `${site}/endless` })).status).toBe(503);
    await rename(`${folder}-away`, folder);
    expect(ends).toHaveLength(1);
    await ends[0];
  });

  it('5 redirects work, the name being that of the last; kept, inline and remote elements keep their order', async () => {
    const first = await fetched('order', inline('a'), { remoteUrl: `${site}/hop5` });
    expect(first.status).toBe(201);
    const [a, hop] = filesOf(first, 'Docs');
    const second = await api.put(tasks, {
      ID: 'order',
      Docs: [{ remoteUrl: `${site}/named` }, hop, inline('b'), a, { remoteUrl: `${site}/dir/a.txt` }],
    });
    const files = filesOf(second, 'Docs');
    expect(files.map(({ filename }) => filename)).toEqual(['\u20ac.txt', 'a.txt', 'b', 'a', 'a.txt']);
    const bytes = files.map(async ({ blobId }) => (await download(api, blobId)).body.toString());
    expect(await Promise.all(bytes)).toEqual(['n', 'aaa', 'b', 'a', 'aaa']);
    expect(second.headers['etag']).not.toBe(first.headers['etag']);
  });

  const failing: readonly (readonly [string, string])[] = [
    ['/404', 'the server answered 404'],
    ['/nowhere', 'the server answered 302'],
    ['/hop6', 'too many redirects'],
    ['/announced', 'it is larger than 100000 bytes'],
    ['/chunked', 'it is larger than 100000 bytes'],
    ['/short', 'the answer broke off'],
    ['/gzip', 'the server sent it compressed'],
    ['/inside', 'its address is not allowed (WTS_OUTBOUND_ALLOW)'],
  ];

  it.each(failing)(
    'a download of %s is refused on the field, and nothing of the payload is stored',
    async (path, reason) => {
      const files = filesOf(await fetched(`kept ${path}`, inline('a')), 'Docs');
      const payload = { Title: 'new', Docs: [...files, inline('b'), { remoteUrl: `${site}${path}` }] };
      const errors = { Docs: [`could not be downloaded: ${reason}`] };
      await expectRefused(started, { ID: `kept ${path}`, ...payload }, errors);
    },
  );

  it('downloads of several fields fail in one answer, and are not tried where other faults are known', async () => {
    let visits = 0;
    const counting = await website(inside, {
      '/': (_, response) => void (visits++, response.writeHead(404).end()),
    });
    const remote = { remoteUrl: `${counting}/` };
    const failed = ['could not be downloaded: the server answered 404'];
    await expectRefused(started, { ID: 'several', Docs: [remote], Photos: [inline('a'), remote] }, { Docs: failed, Photos: failed }); // prettier-ignore
    expect(visits).toBe(2);
    await expectRefused(started, { ID: 'several', Docs: [remote], Nope: 1 }, { Nope: ['is not a field of this workflow'] }); // prettier-ignore
    await expectRefused(started, { ID: 'several', Docs: [remote, { blobId: 'x' }] }, { Docs: ['names a file that is not on this task'] }); // prettier-ignore
    await api.put(tasks, { ID: 'nobody', Docs: [remote] }).expect(404);
    await api.post(tasks, { ID: 'nobody', Docs: [remote] }).set('If-Match', '*').expect(412); // prettier-ignore
    expect(visits).toBe(2);
  });

  it('F7 while 30 payloads wait for slow targets others read and write, and no transaction is open', async () => {
    const waiting: ServerResponse[] = [];
    const page = (_: unknown, response: ServerResponse): void => void waiting.push(response);
    const slow = [await website(inside, { '/slow': page }), await website(inside, { '/slow': page })];
    await api.post(tasks, { ID: 'busy' }).expect(201);
    const payloads = Array.from({ length: 30 }, (_, n) =>
      fetched(`slow${n}`, { remoteUrl: `${slow[n % 2]}/slow` }).then(({ status }) => status),
    );
    await until(() => waiting.length === 30);
    for (let n = 1; n <= 10; n++) {
      await api.put(tasks, { ID: 'busy', Title: `${n}`, Docs: [inline(`${n}`)] }).expect(200);
      expect((await api.get(`${tasks}/busy`).expect(200)).body).toMatchObject({ Title: `${n}` });
      // One of the background may be open for a moment.
      await until(async () => (await idleInTransaction(started.service)) === 0);
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
    const started = await start({ WTS_OUTBOUND_ALLOW: `${inside}/32`, WTS_DOWNLOAD_MS: '300' });
    let opened = 0;
    let closed = 0;
    const slow = await website(inside, {
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
      '/a': ok('a'),
    });
    await started.api.post(tasks, { ID: 'slow', Docs: [inline('a')] }).expect(201);
    const errors = { Docs: ['could not be downloaded: it took too long'] };
    for (const path of ['/silent', '/drops']) {
      const before = [await stateOf(started.service), opened] as const;
      // A slow machine may use the time up before it asks, and then the other file is late, too.
      await until(`a request for ${path}`, async () => {
        const Docs = [{ remoteUrl: `${slow}/a` }, { remoteUrl: `${slow}${path}` }];
        const { status, body } = await started.api.post(tasks, { ID: 'slow', Docs });
        const reasons = (body as { errors: { Docs: string[] } }).errors.Docs;
        expect([status, new Set(reasons)]).toEqual([422, new Set(errors.Docs)]);
        expect(await stateOf(started.service)).toEqual(before[0]);
        return opened > before[1];
      });
    }
    await until(() => closed === opened);
  });
});

describe('2.2 remoteUrl: servers that hang', () => {
  // Rule: of the 64 downloads under way 16 are one workspace's from one server, so that those from others need not wait.
  it('keep no download from another server waiting', async () => {
    const { api } = await start({ WTS_OUTBOUND_ALLOW: `${inside}/32` });
    const held: ServerResponse[] = [];
    const hanging = await website(inside, { '/': (_, response) => void held.push(response) });
    const quick = await website(inside, { '/': ok('quick') });
    const asked = Array.from({ length: 40 }, (_, n) =>
      api.post(tasks, { ID: `hangs-${n}`, Docs: [{ remoteUrl: hanging }] }).then(({ status }) => status),
    );
    await until(() => held.length === 16);
    await api.post(tasks, { ID: 'quick', Docs: [{ remoteUrl: quick }] }).expect(201);
    expect(held).toHaveLength(16);
    for (let ended = 0; ended < asked.length; ended += 1) {
      await until(() => held.length > ended);
      held[ended]?.end('at last');
    }
    expect(new Set(await Promise.all(asked))).toEqual(new Set([201]));
  });
});

describe('remoteUrl does not lead inside', () => {
  // Rule: all addresses and spellings are tried in packages/safe-http; here, that downloads go that way.
  it('by an address, a name or a redirect; the log tells nothing of what is there', async () => {
    const started = await start({ WTS_OUTBOUND_ALLOW: `${outside}/32` });
    let accepted = 0;
    const canary = createTcpServer((socket) => {
      accepted += 1;
      socket.destroy();
    });
    const port = await listen(canary, inside);
    closers.push(() => new Promise((done) => canary.close(done)));
    const redirector = await website(outside, {
      '/': status(302, { Location: `http://${inside}:${port}/` }),
    });
    const noAddress = { Docs: ['could not be downloaded: its address is not allowed (WTS_OUTBOUND_ALLOW)'] };
    const hosts = [inside, 'localhost', '[::ffff:127.0.0.1]', '169.254.169.254'];
    for (const remoteUrl of [...hosts.map((host) => `http://${host}:${port}/`), `${redirector}/`])
      await expectRefused(started, { ID: 'inside', Docs: [{ remoteUrl }] }, noAddress);
    for (const remoteUrl of ['file:///etc/passwd', `gopher://${inside}:${port}/`, 'data:text/plain,a'])
      await expectRefused(started, { ID: 'odd', Docs: [{ remoteUrl }] }, { Docs: ['has a remoteUrl that is not an http(s) URL'] }); // prettier-ignore
    expect(accepted).toBe(0);
    expect(started.log().replaceAll(/"duration_ms":[\d.]+/g, '')).not.toMatch(
      /127\.0|::1|169\.254|localhost|ECONN/,
    );
  });
});
