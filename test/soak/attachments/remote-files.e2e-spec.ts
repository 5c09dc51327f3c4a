import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type Response } from 'supertest';
import { createLogger } from '../../../src/lib/logger.js';
import {
  blobIds,
  download,
  type FileJson,
  filesOf,
  inline,
  stateOf,
  storedFiles,
} from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { reserved } from '../../../packages/safe-http/test/reserved-addresses.js';
import { patience, until } from '../../support/until.js';

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
      '/caf%C3%A9%20%231.pdf': ok('c'),
      '/': ok('root'),
      '/named': ok('n', {
        'Content-Disposition': `attachment; filename="x"; filename*=UTF-8''%E2%82%AC.txt`,
      }),
      '/path': ok('p', { 'Content-Disposition': 'attachment; filename="../../etc/passwd"' }),
      '/odd': ok('o', { 'Content-Type': 'text/html, image/png', 'Content-Disposition': 'attachment; filename=".."' }), // prettier-ignore
      '/empty': ok(''),
      '/largest': ok(Buffer.alloc(maxFileBytes, 'x')),
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
      '/204': status(204),
      '/206': status(206),
      '/401': status(401),
      '/500': status(500),
      '/nowhere': status(302),
      '/ftp': status(302, { Location: 'ftp://a.test/x' }),
      '/file': status(302, { Location: 'file:///etc/passwd' }),
      '/inside': status(302, { Location: `http://${outside}:1234/` }),
      '/credentials': status(302, { Location: 'http://u:p@a.test/' }),
      ...hops,
    });
  });

  const fetched = async (id: string, ...Docs: object[]): Promise<Response> =>
    api.post(tasks, { ID: id, Docs });

  it.each([
    ['from the request', { filename: 'mine.bin', contentType: 'image/png' }, '/named', 'mine.bin', 'image/png', 'n'],
    ['from the request, null being absent', { filename: null, contentType: null }, '/dir/a.txt', 'a.txt', 'text/plain; charset=utf-8', 'aaa'],
    ['the name alone from the request', { filename: 'mine.bin' }, '/dir/a.txt', 'mine.bin', 'text/plain; charset=utf-8', 'aaa'],
    ['the type alone from the request', { contentType: 'x/y' }, '/dir/a.txt', 'a.txt', 'x/y', 'aaa'],
    ['from Content-Disposition', {}, '/named', '\u20ac.txt', 'application/octet-stream', 'n'],
    ['from Content-Disposition, without its folders', {}, '/path', 'passwd', 'application/octet-stream', 'p'],
    ['from the last segment of the path', {}, '/dir/a.txt?b=c#d', 'a.txt', 'text/plain; charset=utf-8', 'aaa'],
    ['from a segment that is encoded', {}, '/caf%C3%A9%20%231.pdf', 'caf\u00e9 #1.pdf', 'application/octet-stream', 'c'],
    ['from nowhere', {}, '/', 'file', 'application/octet-stream', 'root'],
    ['from no media type and no name', {}, '/odd', 'odd', 'application/octet-stream', 'o'],
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

  it('an empty file and one of the largest size are stored', async () => {
    const answer = await fetched('sizes', { remoteUrl: `${site}/empty` }, { remoteUrl: `${site}/largest` });
    const sizes = filesOf(answer, 'Docs').map(
      async ({ blobId }) => (await download(api, blobId)).body.length,
    );
    expect(await Promise.all(sizes)).toEqual([0, maxFileBytes]);
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
    ['/401', 'the server answered 401'],
    ['/500', 'the server answered 500'],
    ['/204', 'the server answered 204'],
    ['/206', 'the server answered 206'],
    ['/nowhere', 'the server answered 302'],
    ['/hop6', 'too many redirects'],
    ['/announced', 'it is larger than 100000 bytes'],
    ['/chunked', 'it is larger than 100000 bytes'],
    ['/short', 'the answer broke off'],
    ['/gzip', 'the server sent it compressed'],
    ['/ftp', 'its URL is not http or https'],
    ['/file', 'its URL is not http or https'],
    ['/inside', 'its address is not allowed (WTS_OUTBOUND_ALLOW)'],
    ['/credentials', 'its URL holds a user name or a password'],
  ];

  it.each(failing)(
    'a download of %s is refused on the field, and nothing of the payload is stored',
    async (path, reason) => {
      const files = filesOf(await fetched(`kept ${path}`, inline('a')), 'Docs');
      const payload = { Title: 'new', Docs: [...files, inline('b'), { remoteUrl: `${site}${path}` }] };
      const errors = { Docs: [`could not be downloaded: ${reason}`] };
      await expectRefused(started, { ID: `kept ${path}`, ...payload }, errors);
      await expectRefused(
        started,
        { ID: `new ${path}`, Docs: [{ remoteUrl: `${site}${path}` }, inline('b')] },
        errors,
      );
    },
  );

  it.each([
    [(host: string): string => host.replace('//', '//u:p@'), 'its URL holds a user name or a password'],
    [(): string => `http://${inside}:22/`, 'the port in its URL is not allowed'],
    [(): string => `http://${inside}:1/`, 'the port in its URL is not allowed'],
    [(): string => 'http://nobody.invalid/', 'the server could not be reached'],
    [(): string => `https://${inside}:${new URL(site).port}/`, 'the server could not be reached'],
  ])('a URL that leads nowhere is refused: %#', async (urlOf, reason) => {
    const Docs = [{ remoteUrl: urlOf(`${site}/named`) }];
    await expectRefused(started, { ID: 'nowhere', Docs }, { Docs: [`could not be downloaded: ${reason}`] });
  });

  it('a server that does not listen, or does not speak HTTP, is refused', async () => {
    const rude = createTcpServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('hello\r\n\r\n'),
    );
    const port = await listen(rude, inside);
    const Docs = [{ remoteUrl: `http://${inside}:${port}/` }];
    await expectRefused(started, { ID: 'rude', Docs }, { Docs: ['could not be downloaded: the server gave no valid answer'] }); // prettier-ignore
    await new Promise((done) => rude.close(done));
    await expectRefused(started, { ID: 'rude', Docs }, { Docs: ['could not be downloaded: the server could not be reached'] }); // prettier-ignore
  });

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
    await api.post(tasks, { ID: 'busy', Title: '0' }).expect(201);
    const payloads = Array.from({ length: 30 }, (_, n) =>
      api
        .post(tasks, { ID: `slow${n}`, Docs: [{ remoteUrl: `${slow[n % 2]}/slow` }] })
        .then((answer) => answer),
    );
    await until(() => waiting.length === 30);
    for (let n = 1; n <= 30; n++) {
      const work = (async (): Promise<unknown> => {
        await api.put(tasks, { ID: 'busy', Title: `${n}` }).expect(200);
        const file = filesOf(
          await api.put(tasks, { ID: 'busy', Docs: [inline(`${n}`)] }).expect(200),
          'Docs',
        )[0];
        await api.get(`/api/v1/files/${file?.blobId}`).expect(200);
        return (await api.get(`${tasks}/busy`).expect(200)).body;
      })();
      expect(await Promise.race([work, wait(patience, 'too late', { ref: false })])).toMatchObject({
        Title: `${n}`,
      });
      // One of the background may be open for a moment.
      await until(async () => (await idleInTransaction(started.service)) === 0);
    }
    expect(waiting).toHaveLength(30);
    for (const response of waiting) response.end('at last');
    const answers = await Promise.all(payloads);
    expect(answers.filter((answer) => answer.status !== 201)).toEqual([]);
    const files = answers.map((answer) => filesOf(answer, 'Docs')[0] as FileJson);
    expect((await download(api, files[29]?.blobId ?? '')).body.toString()).toBe('at last');
  });

  it('no client sees an address or an answer of the other side, nor does the log', async () => {
    const { body } = await fetched('secret', { remoteUrl: `${site}/not-there` });
    expect(body).toEqual({ errors: { Docs: ['could not be downloaded: the server answered 404'] } });
    expect(started.log().split('\n').length).toBeGreaterThan(20);
    expect(started.log().replaceAll(/"duration_ms":[\d.]+/g, '')).not.toMatch(/secret|127\.0\.0|not-there/);
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
    const many = Array.from({ length: 8 }, () => ({ remoteUrl: `${slow}/silent` }));
    const answer = await started.api.post(tasks, { ID: 'slow', Photos: many });
    expect([answer.status, new Set((answer.body as { errors: { Photos: string[] } }).errors.Photos)]).toEqual(
      [422, new Set(errors.Docs)],
    );
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

describe('F1–F5 remoteUrl does not lead inside', () => {
  let closedService: Started;
  let openService: Started;
  let accepted = 0;
  let port = 0;
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);

  const canary = async (host: string, at: number): Promise<number> => {
    const server = createTcpServer((socket) => {
      accepted++;
      socket
        .on('error', () => undefined)
        .resume()
        .end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
    });
    const found = await listen(server, host, at);
    closers.push(() => new Promise((done) => server.close(done)));
    return found;
  };

  beforeAll(async () => {
    port = await canary(inside, 0);
    // A container may have no IPv6.
    for (const host of ['::1', ...own]) await canary(host, port).catch(() => undefined);
    closedService = await start();
    openService = await start({ WTS_OUTBOUND_ALLOW: `${outside}/32` });
  });
  afterEach(() => {
    expect(accepted).toBe(0);
  });
  afterAll(() => {
    for (const { log } of [closedService, openService]) {
      expect(log().split('\n').length).toBeGreaterThan(20);
      expect(log().replaceAll(/"duration_ms":[\d.]+/g, '')).not.toMatch(
        /127\.0|::1|169\.254|localhost|secret|ECONN|EHOST|ENET/,
      );
    }
  });

  const noAddress = { Docs: ['could not be downloaded: its address is not allowed (WTS_OUTBOUND_ALLOW)'] };

  /** Each URL is refused for its address, in the same words; nothing is stored. */
  async function expectAllRefused({ service, api }: Started, urls: readonly string[]): Promise<void> {
    const before = await stateOf(service);
    const refused = await Promise.all(
      urls.map(async (remoteUrl): Promise<unknown[]> => {
        const answer = await api.post(tasks, { ID: 'inside', Docs: [{ remoteUrl }] });
        return [remoteUrl, answer.status, answer.body as unknown];
      }),
    );
    expect(refused).toEqual(urls.map((url) => [url, 422, { errors: noAddress }]));
    expect(await stateOf(service)).toEqual(before);
  }

  it(`F1 nobody is reached at ${reserved.length} reserved addresses and our own, on any port`, async () => {
    expect(reserved.length).toBeGreaterThanOrEqual(56);
    const hosts = [...reserved, ...own.map((address) => (address.includes(':') ? `[${address}]` : address))];
    for (const at of [80, 443, 6379, 5432, port])
      await expectAllRefused(closedService, hosts.map((host) => `http://${host}:${at}/latest/meta-data`)); // prettier-ignore
    await expectAllRefused(closedService, hosts.map((host) => `https://${host}/`)); // prettier-ignore
  });

  const spellings =
    `127.0.0.1 127.1 127.0.1 127.0.0.1. 2130706433 017700000001 0177.0.0.1 0x7f000001 0x7f.1 0X7F.0x0.1 0 0x0
    %31%32%37.0.0.1 127.0.0.%31 \uff11\uff12\uff17.\uff10.\uff10.\uff11 \u2460\u2461\u2466.\u24ea.\u24ea.\u2460 127\u30020\u30020\u30021
    [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::ffff:127.0.0.1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1]
    [::127.0.0.1] localhost LOCALHOST lo\u00adcalhost \uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54`.split(
      /\s+/,
    );

  it(`F2 nobody is reached by ${spellings.length} spellings`, async () => {
    await expectAllRefused(closedService, spellings.map((host) => `http://${host}:${port}/`)); // prettier-ignore
  });

  it('F4 nobody is reached by redirects, however many hops away', async () => {
    const targets = [...spellings, '127.0.0.3', '169.254.169.254', '10.0.0.1', '[fd00::1]', ...own.filter((address) => !address.includes(':'))]; // prettier-ignore
    const pages = Object.fromEntries(
      targets.flatMap((host, n) => [
        [`/one${n}`, status([301, 302, 303, 307, 308][n % 5] ?? 302, { Location: new URL(`http://${host}:${port}/`).href })], // prettier-ignore
        [`/two${n}`, status(302, { Location: `/one${n}` })],
        [`/three${n}`, status(307, { Location: `two${n}` })],
      ]),
    );
    const redirector = await website(outside, { ...pages, '/good.txt': ok('good') });
    const good = await openService.api.post(tasks, {
      ID: 'good',
      Docs: [{ remoteUrl: `${redirector}/good.txt` }],
    });
    expect([good.status, filesOf(good, 'Docs')[0]?.filename]).toEqual([201, 'good.txt']);
    for (const hops of ['one', 'two', 'three'])
      await expectAllRefused(openService, targets.map((_, n) => `${redirector}/${hops}${n}`)); // prettier-ignore
    const { rows, named } = await blobIds(openService.service);
    expect(rows).toEqual(named);
    expect(await storedFiles(openService.service.config.blobStore)).toEqual(named);
  });

  it('F5 nobody is reached by other schemes, with credentials or through low ports', async () => {
    const notHttp = 'has a remoteUrl that is not an http(s) URL';
    for (const [remoteUrl, message] of [
      ['file:///etc/passwd', notHttp],
      [`ftp://${inside}:${port}/`, notHttp],
      [`gopher://${inside}:${port}/`, notHttp],
      ['data:text/plain,a', notHttp],
      [`blob:http://${inside}:${port}/a`, notHttp],
      ['javascript:alert(1)', notHttp],
      ['unix:/var/run/docker.sock', notHttp],
      [`//${inside}:${port}/`, notHttp],
      [`http://u:p@${inside}:${port}/`, 'could not be downloaded: its URL holds a user name or a password'],
      [
        `http://a.test@${inside}:${port}/`,
        'could not be downloaded: its URL holds a user name or a password',
      ],
      [`http://${inside}:22/`, 'could not be downloaded: the port in its URL is not allowed'],
      [`https://${inside}:25/`, 'could not be downloaded: the port in its URL is not allowed'],
    ] as const)
      await expectRefused(closedService, { ID: 'odd', Docs: [{ remoteUrl }] }, { Docs: [message] });
  });

  it('the canaries count', async () => {
    const { api } = await start({ WTS_OUTBOUND_ALLOW: `${inside}/32` });
    const answer = await api.post(tasks, { ID: 'seen', Docs: [{ remoteUrl: `http://${inside}:${port}/x` }] });
    expect([answer.status, accepted]).toEqual([201, 1]);
    accepted = 0;
  });
});
