import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { guardedConnector, type Lookup } from '../../src/safe-http/connector.js';
import { download } from '../../src/safe-http/download.js';
import { OutboundFailure, type OutboundReason } from '../../src/safe-http/failure.js';
import { Outbound } from '../../src/safe-http/client.js';
import { reserved } from '../support/reserved-addresses.js';

/** Loopback addresses of Linux: the first is the inside, the second stands for the Internet by the allow-list. */
const inside = '127.0.0.1';
const outside = '127.0.0.2';

const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

interface Listener {
  readonly port: number;
  /** How many connections it has accepted, how many of them are open, how many bytes came. */
  readonly seen: { accepted: number; open: number; bytes: number };
}

async function listen(server: Server, host: string, port = 0): Promise<Listener> {
  const seen = { accepted: 0, open: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    seen.accepted++;
    seen.open++;
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        seen.open--;
        sockets.delete(socket);
      });
  });
  server.listen(port, host);
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Counts who comes, and reads what they send. */
function canary(host: string, port?: number): Promise<Listener> {
  const server = createServer((socket) => {
    socket.on('data', (chunk) => (listener.seen.bytes += chunk.length));
  });
  const starting = listen(server, host, port);
  let listener: Listener;
  return starting.then((started) => (listener = started));
}

type Page = (socket: Socket, request: string) => unknown;

/** Speaks as badly as a page wants to, and takes each connection for one request only. */
function pages(table: ReadonlyMap<string, Page>): (socket: Socket) => void {
  return (socket) => {
    let request = '';
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      if (!request.endsWith('\r\n\r\n')) return;
      const path = request.split(' ', 2)[1] ?? '';
      const page = table.get(path) ?? respond('HTTP/1.1 404 Not Found', ['Content-Length: 6'], 'secret');
      page(socket, request);
      request = '';
    });
  };
}

const respond =
  (status: string, headers: readonly string[], body: string | Buffer = ''): Page =>
  (socket) => {
    socket.write(`${[status, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`, 'latin1');
    socket.end(body);
  };
const ok = (headers: readonly string[], body: string | Buffer = ''): Page =>
  respond('HTTP/1.1 200 OK', headers, body);
const redirect = (location: string, status = 302): Page =>
  respond(`HTTP/1.1 ${status} Elsewhere`, [`Location: ${location}`, 'Set-Cookie: a=b', 'Content-Length: 0']);

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('it did not come to hold');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const limits = (
  maxBytes = 1000,
  milliseconds = 20_000,
): { readonly maxBytes: number; readonly signal: AbortSignal } => ({
  maxBytes,
  signal: AbortSignal.timeout(milliseconds),
});

interface Outcome {
  readonly reason: OutboundReason;
  readonly message: string;
}

async function failure(work: Promise<unknown>): Promise<Outcome> {
  const error: unknown = await work.then(
    () => 'it succeeded',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OutboundFailure)) throw new Error('another end than a failure', { cause: error });
  return { reason: error.reason, message: error.message };
}

const text = async (outbound: Outbound, url: string): Promise<string> =>
  (await buffer((await download(outbound, url, limits())).body)).toString();

/** Both ways to the outside, read to the end. */
const attempts = (outbound: Outbound, url: string): Promise<unknown>[] => [
  text(outbound, url),
  outbound.request(url, limits()).then(({ body }) => buffer(body)),
];

const noAddress: Outcome = {
  reason: 'address not allowed',
  message: 'its address is not allowed (WTS_OUTBOUND_ALLOW)',
};

/** Neither way gets out, and both say only why. */
async function expectRefused(outbound: Outbound, url: string, expected = noAddress): Promise<void> {
  const [downloaded, requested] = await Promise.all(attempts(outbound, url).map(failure));
  expect({ url, ...downloaded }).toEqual({
    url,
    ...expected,
    message: `could not be downloaded: ${expected.message}`,
  });
  expect({ url, ...requested }).toEqual({ url, ...expected });
}

interface Answers {
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  readonly CNAME?: string;
}

/** A name server on UDP; `zone` is asked anew for each query. */
async function nameServer(zone: (name: string, type: 'A' | 'AAAA') => Answers): Promise<Lookup> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end) === 28 ? 'AAAA' : 'A';
    const { CNAME, ...answers } = zone(name, type);
    const records = [
      ...(CNAME === undefined ? [] : [record(name, 5, writeName(CNAME))]),
      ...(answers[type] ?? []).map((ip) =>
        record(
          CNAME ?? name,
          type === 'A' ? 1 : 28,
          type === 'A' ? Buffer.from(ip.split('.').map(Number)) : ipv6(ip),
        ),
      ),
    ];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.fill(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closers.push(() => new Promise<void>((done) => socket.close(done)));
  const resolver = new dns.Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return async (hostname) => {
    const [four, six] = await Promise.all([
      resolver.resolve4(hostname).catch(() => []),
      resolver.resolve6(hostname).catch(() => []),
    ]);
    return [
      ...four.map((address) => ({ address, family: 4 })),
      ...six.map((address) => ({ address, family: 6 })),
    ];
  };
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const writeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ]);

function record(name: string, type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(content.length, 8);
  return Buffer.concat([writeName(name), head, content]);
}

/** From its eight groups. */
const ipv6 = (address: string): Buffer =>
  Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );

describe('F1–F5 the inside', () => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  const canaries: Listener[] = [];
  let port = 0;
  let closed: Outbound;

  beforeAll(async () => {
    const first = await canary(inside);
    port = first.port;
    canaries.push(first);
    for (const host of ['::1', ...own]) {
      // A container may have no IPv6, but has an address of its own.
      const listener = await canary(host, port).catch(() => undefined);
      if (listener) canaries.push(listener);
    }
    closed = new Outbound({ allow: [] });
    closers.push(() => closed.close());
  });
  const accepted = (): number => canaries.reduce((sum, { seen }) => sum + seen.accepted, 0);
  afterEach(() => {
    expect(accepted()).toBe(0);
  });

  it('has canaries that count', async () => {
    const open = new Outbound({ allow: [`${inside}/32`] });
    const call = open.request(`http://${inside}:${port}/`, limits(1, 500));
    await until(() => accepted() > 0);
    await failure(call);
    await open.close();
    for (const { seen } of canaries) seen.accepted = 0;
  });

  it(`F1 is not reached at ${reserved.length} reserved addresses and its own, on any port`, async () => {
    expect(reserved.length).toBeGreaterThanOrEqual(56);
    const hosts = [...reserved, ...own.map((address) => (address.includes(':') ? `[${address}]` : address))];
    for (const host of hosts) {
      for (const at of [80, 443, 6379, 5432, port]) await expectRefused(closed, `http://${host}:${at}/`);
      await expectRefused(closed, `https://${host}/`);
    }
  });

  it.each(
    `127.0.0.1 127.1 127.0.1 127.0.0.1. 2130706433 017700000001 0177.0.0.1 0177.0.0.01 0x7f000001 0x7f.1 0X7F.0x0.1
    0 0x0 %31%32%37.0.0.1 127.0.0.%31 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 [::1] [0:0:0:0:0:0:0:1]
    [0000::0001] [::] [::ffff:127.0.0.1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] localhost
    LOCALHOST lo\u00adcalhost ｌｏｃａｌｈｏｓｔ`.split(/\s+/),
  )('F2 is not reached by the spelling %s', async (host) => {
    await expectRefused(closed, `http://${host}:${port}/`);
  });

  it('F2 is not reached by a name that ends with a dot, whether the system knows it or not', async () => {
    const { reason } = await failure(text(closed, `http://localhost.:${port}/`));
    expect(['address not allowed', 'unreachable']).toContain(reason);
  });

  it('F5 is not reached by other schemes, with credentials or through low ports', async () => {
    const urls = [
      ...[
        'file:///etc/passwd',
        `ftp://${inside}:${port}/`,
        `gopher://${inside}:${port}/`,
        'data:text/plain,a',
      ],
      ...[`blob:http://${inside}:${port}/a`, 'javascript:alert(1)', 'unix:/var/run/docker.sock'],
      ...[
        `http://u:p@${inside}:${port}/`,
        `http://a.test@${inside}:${port}/`,
        'http://a.test:22/',
        'http://[::1%25lo]/',
      ],
    ];
    for (const url of urls)
      for (const attempt of attempts(closed, url))
        expect(await failure(attempt)).toMatchObject({ reason: 'url not allowed' });
  });

  it('is not reached through a proxy that the environment names', async () => {
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://${inside}:${port}`;
    const fresh = new Outbound({ allow: [] });
    await expectRefused(fresh, `http://${inside}:${port}/`);
    await expectRefused(fresh, 'http://192.0.2.1/');
    await fresh.close();
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });

  describe('F3 names', () => {
    const outsideOnly = { A: [outside] };
    const zones: Readonly<Record<string, Answers>> = {
      localhost: { A: [inside] },
      'private.test': { A: [inside] },
      'metadata.test': { A: ['169.254.169.254'] },
      'mixed.test': { A: [outside, inside] },
      'mixed-first.test': { A: [inside, outside] },
      'mixed-six.test': { A: [outside], AAAA: ['0:0:0:0:0:0:0:1'] },
      'mapped.test': { AAAA: ['0:0:0:0:0:ffff:7f00:1'] },
      'translated.test': { AAAA: ['64:ff9b:0:0:0:0:7f00:1'] },
      'alias.test': { CNAME: 'localhost', A: [inside], AAAA: ['0:0:0:0:0:0:0:1'] },
      'good.test': outsideOnly,
      'tls.test': outsideOnly,
    };
    let queries = 0;
    let lookup: Lookup;
    let open: Outbound;
    const table = new Map<string, Page>([['/', ok(['Content-Length: 2'], 'hi')]]);
    let server: Listener;
    let secure: Listener;

    beforeAll(async () => {
      lookup = await nameServer((name, type) => {
        if (name !== 'rebinding.test') return zones[name] ?? {};
        return type === 'A' ? { A: [queries++ % 2 === 0 ? outside : inside] } : {};
      });
      // The same port as the canaries': only the address tells them apart.
      server = await listen(createServer(pages(table)), outside, port);
      const { private: key, cert } = await generate([{ name: 'commonName', value: 'tls.test' }], {
        keyType: 'ec',
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'tls.test' }] }],
      });
      secure = await listen(createTlsServer({ key, cert }, pages(table)), outside);
      open = new Outbound({ allow: [`${outside}/32`], lookup, ca: cert });
      closers.push(() => open.close());
    });

    it('reach what is outside', async () => {
      expect(await text(open, `http://good.test:${port}/`)).toBe('hi');
    });

    it.each(Object.keys(zones).filter((name) => zones[name] !== outsideOnly))(
      'are refused if any of their addresses is inside: %s',
      async (name) => {
        await expectRefused(open, `http://${name}:${port}/`);
        await expectRefused(open, `https://${name}:${port}/`);
      },
    );

    it('are not reached if there are none, or the name server fails', async () => {
      const unreachable: Outcome = { reason: 'unreachable', message: 'the server could not be reached' };
      await expectRefused(open, `http://nowhere.test:${port}/`, unreachable);
      const failing = new Outbound({
        allow: [],
        lookup: () => Promise.reject(new Error('10.0.0.1 said no')),
      });
      await expectRefused(failing, 'http://a.test/', unreachable);
      const nonsense = new Outbound({
        allow: [],
        lookup: () => Promise.resolve([{ address: 'localhost', family: 4 }]),
      });
      await expectRefused(nonsense, 'http://a.test/');
      await Promise.all([failing.close(), nonsense.close()]);
    });

    it('do not get inside by rebinding, 50 times', async () => {
      const ends = new Map<string, number>();
      for (let tries = 0; tries < 50; tries++) {
        const end = await text(open, `http://rebinding.test:${port}/`).catch((error: unknown) =>
          String(error),
        );
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
      expect(ends).toEqual(
        new Map([
          ['hi', 25],
          ['Error: could not be downloaded: its address is not allowed (WTS_OUTBOUND_ALLOW)', 25],
        ]),
      );
    });

    describe('F4 redirects', () => {
      const insides = [inside, '[::ffff:7f00:1]', '2130706433', 'private.test', 'mixed.test', 'localhost'];
      const chains = [301, 302, 303, 307, 308].flatMap((status) => insides.map((host) => ({ status, host })));

      it.each(chains)('do not lead inside: $status to $host', async ({ status, host }) => {
        table.set('/in', redirect(`${status === 307 ? '' : 'http:'}//${host}:${port}/`, status));
        table.set('/far', redirect('/in', status));
        for (const path of ['/in', '/far'])
          expect(await failure(text(open, `http://good.test:${port}${path}`))).toEqual({
            ...noAddress,
            message: 'could not be downloaded: its address is not allowed (WTS_OUTBOUND_ALLOW)',
          });
      });

      it.each([
        ['file:///etc/passwd', 'url not allowed'],
        ['gopher://127.0.0.1/', 'url not allowed'],
        ['javascript:alert(1)', 'url not allowed'],
        ['http://u:p@good.test/', 'url not allowed'],
        ['http://good.test:22/', 'url not allowed'],
        ['http://', 'url not allowed'],
        ['/loop', 'too many redirects'],
      ])('refuse %s', async (location, reason) => {
        table.set('/loop', redirect(location));
        expect(await failure(text(open, `http://good.test:${port}/loop`))).toMatchObject({ reason });
      });

      it('are followed 5 times, no more', async () => {
        for (let hop = 0; hop < 6; hop++) table.set(`/${hop}`, redirect(`/${hop + 1}`, 307));
        table.set('/6', ok([], 'end'));
        expect(await text(open, `http://good.test:${port}/1`)).toBe('end');
        expect(await failure(text(open, `http://good.test:${port}/0`))).toEqual({
          reason: 'too many redirects',
          message: 'could not be downloaded: too many redirects',
        });
      });

      it('carry nothing along', async () => {
        const requests: string[] = [];
        table.set('/from', redirect(`http://good.test:${port}/to`));
        table.set('/to', (socket, request) => {
          requests.push(request);
          ok([], 'end')(socket, request);
        });
        expect(await text(open, `http://${outside}:${port}/from`)).toBe('end');
        expect(requests).toEqual([
          [
            'GET /to HTTP/1.1',
            `host: good.test:${port}`,
            'connection: keep-alive',
            'accept: */*',
            'user-agent: workflow-task-service',
            'accept-encoding: identity',
            '\r\n',
          ].join('\r\n'),
        ]);
      });

      it('may lead from http to https, never back', async () => {
        table.set('/up', redirect(`https://tls.test:${secure.port}/`));
        expect(await text(open, `http://good.test:${port}/up`)).toBe('hi');
        table.set('/down', redirect(`http://good.test:${port}/`));
        expect(await failure(text(open, `https://tls.test:${secure.port}/down`))).toEqual({
          reason: 'redirect not allowed',
          message: 'could not be downloaded: it leads from https to http',
        });
      });

      it('of a bare request are the answer', async () => {
        table.set('/bare', redirect(`http://${inside}:${port}/`));
        const { status, headers, body } = await open.request(`http://good.test:${port}/bare`, limits());
        body.destroy();
        expect([status, headers.get('location')]).toEqual([302, `http://${inside}:${port}/`]);
      });

      it('leave no connection behind', async () => {
        await until(() => server.seen.open === 0 && secure.seen.open === 0);
      });
    });

    describe('TLS', () => {
      it('is verified: the authority and the name', async () => {
        const unreachable: Outcome = { reason: 'unreachable', message: 'the server could not be reached' };
        await expectRefused(open, `https://good.test:${secure.port}/`, unreachable);
        await expectRefused(open, `https://${outside}:${secure.port}/`, unreachable);
        const strict = new Outbound({ allow: [`${outside}/32`], lookup });
        await expectRefused(strict, `https://tls.test:${secure.port}/`, unreachable);
        await strict.close();
        expect(await text(open, `https://tls.test.:${secure.port}/`)).toBe('hi');
        expect(await text(open, `https://tls.test:${secure.port}/`)).toBe('hi');
        await until(() => secure.seen.open === 0);
      });
    });
  });
});

describe('the address that is connected to', () => {
  it.each(['http:', 'https:'])('is judged again before the first byte: %s', async (protocol) => {
    const listener = await canary(inside);
    let asked = 0;
    const connect = guardedConnector({
      // As if the address had changed between the look-up and the connection.
      allows: () => ++asked === 1,
      lookup: () => Promise.resolve([{ address: inside, family: 4 }]),
      connectMs: 5000,
      ca: undefined,
    });
    const target = { hostname: 'a.test', port: `${listener.port}`, protocol };
    const error = await new Promise((resolve) => {
      connect(target, (...[refusal]) => {
        resolve(refusal);
      });
    });
    expect(error).toEqual(new OutboundFailure('address not allowed'));
    await until(() => listener.seen.accepted === 1 && listener.seen.open === 0);
    expect(listener.seen.bytes).toBe(0);
    expect(asked).toBe(2);
  });
});

describe('6 downloads', () => {
  const table = new Map<string, Page>();
  let server: Listener;
  let outbound: Outbound;
  const at = (path: string, page: Page): string => {
    table.set(path, page);
    return `http://${inside}:${server.port}${path}`;
  };
  const failed = (url: string, bounds = limits()): Promise<Outcome> =>
    failure(download(outbound, url, bounds).then(({ body }) => buffer(body)));

  beforeAll(async () => {
    server = await listen(createServer(pages(table)), inside);
    outbound = new Outbound({ allow: [`${inside}/32`], connectMs: 300 });
    closers.push(() => outbound.close());
  });
  afterEach(async () => {
    await until(() => server.seen.open === 0);
  });

  it('give the bytes, the name and the type', async () => {
    const headers = [
      `Content-Disposition: attachment; filename*=UTF-8''%E2%82%AC.txt`,
      'Content-Type: text/plain',
    ];
    const url = at(
      '/a',
      ok([...headers, '__proto__: x', '__proto__: y', 'constructor: z', 'Content-Length: 5'], 'hello'),
    );
    const { body, ...about } = await download(outbound, url, limits(5));
    expect(about).toEqual({ contentType: 'text/plain', filename: '€.txt' });
    expect((await buffer(body)).toString()).toBe('hello');
  });

  it('take the name from the end of the last URL', async () => {
    const url = at('/old.txt', redirect('/folder/new%20one.txt?x'));
    at('/folder/new%20one.txt?x', ok(['Content-Type: nonsense', 'Content-Length: 0']));
    const { body, ...about } = await download(outbound, url, limits());
    expect(about).toEqual({ contentType: undefined, filename: 'new one.txt' });
    expect((await buffer(body)).length).toBe(0);
  });

  it('read a body of chunks, and one that ends with its connection', async () => {
    const chunks = at('/chunks', ok(['Transfer-Encoding: chunked'], '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'));
    expect(await text(outbound, chunks)).toBe('abcde');
    expect(await text(outbound, at('/bare', ok([], 'abcde')))).toBe('abcde');
  });

  it.each([
    '201 Created',
    '204 No Content',
    '206 Part',
    '300 Many',
    '304 Same',
    '302 Nowhere',
    '404 No',
    '500 Bad',
  ])('accept no status but 200: %s', async (status) => {
    const url = at('/status', respond(`HTTP/1.1 ${status}`, ['Content-Length: 0']));
    expect(await failed(url)).toEqual({
      reason: 'unexpected status',
      message: `could not be downloaded: the server answered ${status.slice(0, 3)}`,
    });
  });

  describe('F6 bombs', () => {
    const tooLarge: Outcome = {
      reason: 'too large',
      message: 'could not be downloaded: it is larger than 1000 bytes',
    };
    /** Writes for ever, and counts how much went out. */
    const endless = (sent: { bytes: number }, head: readonly string[]): Page => {
      const chunk = Buffer.alloc(65_536, 'x');
      return (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head.map((header) => `${header}\r\n`).join('')}\r\n`);
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk)) sent.bytes += chunk.length;
        };
        socket.on('drain', more);
        more();
      };
    };

    it('are refused by the length that they announce', async () => {
      const url = at('/announced', ok(['Content-Length: 1001'], 'x'.repeat(1001)));
      expect(await failure(download(outbound, url, limits()))).toEqual(tooLarge);
      expect(await failed(at('/huge', ok(['Content-Length: 10737418240'], 'x')))).toEqual(tooLarge);
      const exact = at('/exact', ok(['Content-Length: 1000'], 'x'.repeat(1000)));
      expect(await text(outbound, exact)).toHaveLength(1000);
    });

    it('are cut where they announce no length, or a lie', async () => {
      const sent = { bytes: 0 };
      expect(await failed(at('/endless', endless(sent, [])))).toEqual(tooLarge);
      await until(() => server.seen.open === 0);
      expect(sent.bytes).toBeLessThan(16 * 2 ** 20);
      const page = ok(['Transfer-Encoding: chunked'], `7d0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`);
      expect(await failed(at('/chunks', page))).toEqual(tooLarge);
      // Whatever follows the announced bytes is no part of the body.
      const { body } = await download(outbound, at('/liar', endless(sent, ['Content-Length: 10'])), limits());
      expect((await buffer(body).catch(() => Buffer.alloc(10))).length).toBe(10);
    });

    it('are let go where the head says enough', async () => {
      const stalled =
        (head: string): Page =>
        (socket) =>
          socket.write(`HTTP/1.1 ${head}\r\n\r\nx`);
      for (const [head, reason] of [
        ['200 OK\r\nContent-Encoding: gzip', 'encoded answer'],
        ['200 OK\r\nContent-Length: 10737418240', 'too large'],
        ['404 Not Found', 'unexpected status'],
        ['500 Broken\r\nContent-Encoding: gzip', 'unexpected status'],
        ['302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Encoding: gzip', 'address not allowed'],
      ] as const) {
        expect(await failed(at('/early', stalled(head)))).toMatchObject({ reason });
        await until(() => server.seen.open === 0);
      }
    });

    it('never end short of what they announce', async () => {
      const incomplete: Outcome = {
        reason: 'incomplete',
        message: 'could not be downloaded: the answer broke off',
      };
      expect(await failed(at('/short', ok(['Content-Length: 10'], 'xxx')))).toEqual(incomplete);
      expect(await failed(at('/none', ok(['Content-Length: 10'])))).toEqual(incomplete);
      const resets: Socket[] = [];
      const reset: Page = (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc');
        resets.push(socket);
      };
      const { body } = await download(outbound, at('/reset', reset), limits());
      await once(body, 'readable');
      for (const socket of resets) socket.resetAndDestroy();
      expect(await failure(buffer(body))).toEqual(incomplete);
      expect(await failed(at('/cut', ok(['Transfer-Encoding: chunked'], '5\r\nabc')))).toEqual(incomplete);
    });

    it('are refused where they are compressed', async () => {
      for (const coding of ['gzip', 'br', 'GZIP', 'identity, gzip', 'x']) {
        const url = at('/encoded', ok([`Content-Encoding: ${coding}`, 'Content-Length: 1'], 'x'));
        expect(await failed(url)).toEqual({
          reason: 'encoded answer',
          message: 'could not be downloaded: the server sent it compressed',
        });
      }
      expect(await text(outbound, at('/plain', ok(['Content-Encoding: Identity'], 'x')))).toBe('x');
    });

    it('are refused where the head is endless or nonsense', async () => {
      const invalid: Outcome = {
        reason: 'invalid answer',
        message: 'could not be downloaded: the server gave no valid answer',
      };
      const many = Array.from({ length: 10_000 }, (_, index) => `x-${index}: y`);
      expect(await failed(at('/many', ok(many)))).toEqual(invalid);
      expect(await failed(at('/long', ok([`x: ${'y'.repeat(100_000)}`])))).toEqual(invalid);
      expect(await failed(at('/text', (socket) => socket.end('220 mail.internal ESMTP\r\n')))).toEqual(
        invalid,
      );
      const both = ok(['Content-Length: 1', 'Transfer-Encoding: chunked'], '1\r\nx\r\n0\r\n\r\n');
      expect(await failed(at('/both', both))).toEqual(invalid);
      expect(await failed(at('/lengths', ok(['Content-Length: 1', 'Content-Length: 2'], 'xx')))).toEqual(
        invalid,
      );
    });

    const drip =
      (start: string): Page =>
      (socket) => {
        socket.write(start);
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => {
          clearInterval(timer);
        });
      };

    it.each([
      ['the head', 'HTTP/1.1 200 OK\r\nx: '],
      ['the body', 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n'],
      ['nothing', ''],
    ])('end with the signal where %s comes a byte at a time', async (_, start) => {
      const page: Page = start === '' ? () => undefined : drip(start);
      expect(await failed(at('/drip', page), limits(1000, 300))).toEqual({
        reason: 'timed out',
        message: 'could not be downloaded: it took too long',
      });
    });

    it('end with the signal though nobody reads them', async () => {
      const url = at('/drip', drip('HTTP/1.1 200 OK\r\n\r\n'));
      const { body } = await download(outbound, url, limits(1000, 300));
      await until(() => body.destroyed);
      expect(await failure(buffer(body))).toMatchObject({ reason: 'timed out' });
    });

    it('end where the reader gives up', async () => {
      const sent = { bytes: 0 };
      const { body } = await download(outbound, at('/endless', endless(sent, [])), limits(10 ** 9));
      await once(body, 'readable');
      body.destroy();
      await until(() => server.seen.open === 0);
      const waiting = await download(outbound, at('/silent', ok(['Content-Length: 9'])), limits());
      waiting.body.destroy();
    });

    it('end where the caller does, which is no time-out', async () => {
      const controller = new AbortController();
      const url = at('/drip', drip('HTTP/1.1 200 OK\r\n\r\n'));
      const { body } = await download(outbound, url, { maxBytes: 1000, signal: controller.signal });
      const end = failure(buffer(body));
      controller.abort();
      const interrupted: Outcome = {
        reason: 'interrupted',
        message: 'could not be downloaded: it was interrupted',
      };
      expect(await end).toEqual(interrupted);
      expect(await failed(url, { maxBytes: 1000, signal: controller.signal })).toEqual(interrupted);
    });
  });

  it('say when nobody is there', async () => {
    const gone = createServer();
    const { port } = await listen(gone, inside);
    await new Promise((done) => gone.close(done));
    expect(await failed(`http://${inside}:${port}/`)).toEqual({
      reason: 'unreachable',
      message: 'could not be downloaded: the server could not be reached',
    });
    expect(await failed(at('/hangs-up', (socket) => socket.destroy()))).toMatchObject({
      reason: 'unreachable',
    });
  });

  it('say when a connection does not come to stand', async () => {
    const timedOut: Outcome = { reason: 'timed out', message: 'could not be downloaded: it took too long' };
    const silent = await canary(inside);
    expect(await failed(`https://${inside}:${silent.port}/`)).toEqual(timedOut);
    await until(() => silent.seen.open === 0);
    const lost = new Outbound({ allow: [], connectMs: 100, lookup: () => new Promise(() => undefined) });
    expect(await failure(download(lost, 'http://a.test/', limits()))).toEqual(timedOut);
    await lost.close();
  });
});

describe('8 requests', () => {
  const table = new Map<string, Page>();
  let server: Listener;
  let outbound: Outbound;
  beforeAll(async () => {
    server = await listen(createServer(pages(table)), inside);
    outbound = new Outbound({ allow: [`${inside}/32`] });
    closers.push(() => outbound.close());
  });
  const request = (
    headers: Readonly<Record<string, string>>,
    maxBytes = 1000,
  ): ReturnType<Outbound['request']> =>
    outbound.request(`http://${inside}:${server.port}/a?b`, { ...limits(maxBytes), headers });

  it('carry a method, headers and a body, and answer as the server does', async () => {
    const requests: string[] = [];
    const echo = createServer((socket) => {
      socket.on('data', (chunk) => {
        requests.push(chunk.toString());
        if (!requests.join('').endsWith('{"a":1}')) return;
        respond(
          'HTTP/1.1 503 Busy',
          ['Retry-After: 1', 'X: a', 'X: b', 'Content-Length: 2'],
          'no',
        )(socket, '');
      });
    });
    const { port } = await listen(echo, inside);
    const { status, headers, body } = await outbound.request(`http://${inside}:${port}/a?b#c`, {
      ...limits(),
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
      body: '{"a":1}',
    });
    expect([status, headers.get('retry-after'), headers.get('x')]).toEqual([503, '1', 'a, b']);
    expect((await buffer(body)).toString()).toBe('no');
    expect(requests.join('').split('\r\n')).toEqual([
      'POST /a?b HTTP/1.1',
      `host: ${inside}:${port}`,
      'connection: keep-alive',
      'accept: */*',
      'user-agent: workflow-task-service',
      'content-type: application/json',
      'accept-encoding: identity',
      'content-length: 7',
      '',
      '{"a":1}',
    ]);
  });

  it('read no more than they were told to', async () => {
    table.set('/a?b', ok([], 'x'.repeat(11)));
    expect(await failure(request({}, 10).then(({ body }) => buffer(body)))).toEqual({
      reason: 'too large',
      message: 'it is larger than 10 bytes',
    });
    await until(() => server.seen.open === 0);
  });

  it('leave the frame of the message to us', async () => {
    const { accepted } = server.seen;
    for (const headers of [
      { Host: 'a.test' },
      { 'content-length': '1' },
      { 'Transfer-Encoding': 'chunked' },
      { Connection: 'upgrade' },
      { 'Proxy-Authorization': 'x' },
      { 'X-A': 'a\r\nX-B: b' },
      { 'X A': 'a' },
      { '': 'a' },
    ])
      expect(await failure(request({ ...headers }))).toEqual({
        reason: 'invalid request',
        message: 'the request is not valid',
      });
    expect(server.seen.accepted).toBe(accepted);
  });

  it('use a connection again, and end all of them on close', async () => {
    const { accepted } = server.seen;
    table.set('/a?b', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'));
    for (let turn = 0; turn < 9; turn++) await request({}).then(({ body }) => buffer(body));
    expect(server.seen.accepted).toBeLessThan(accepted + 4);
    table.set('/a?b', () => undefined);
    const hanging = failure(request({}));
    await outbound.close();
    expect(await hanging).toMatchObject({ reason: 'interrupted' });
    expect(await failure(request({}))).toMatchObject({ reason: 'interrupted' });
    await until(() => server.seen.open === 0);
  });
});
