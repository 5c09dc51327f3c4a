import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { download } from '../download.js';
import { Outbound } from '../client.js';
import {
  closeAll,
  canary,
  closers,
  failure,
  inside,
  limits,
  listen,
  type Listener,
  ok,
  type Outcome,
  type Page,
  pages,
  redirect,
  respond,
  text,
  when,
} from './network.js';

const table = new Map<string, Page>();
let server: Listener;
let outbound: Outbound;
beforeAll(async () => {
  server = await listen(createServer(pages(table)), inside);
  outbound = new Outbound({ allow: [`${inside}/32`] });
  closers.push(() => outbound.close());
});
afterAll(closeAll);

describe('6 downloads', () => {
  const at = (path: string, page: Page): string => {
    table.set(path, page);
    return `http://${inside}:${server.port}${path}`;
  };
  const failed = (url: string, bounds = limits()): Promise<Outcome> =>
    failure(download(outbound, url, bounds).then(({ body }) => buffer(body)));

  afterEach(async () => {
    await when(() => server.seen.open === 0);
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
    expect(about).toEqual({ contentType: 'nonsense', filename: 'new one.txt' });
    expect((await buffer(body)).length).toBe(0);
  });

  it.each(['201 Created', '206 Part', '302 Nowhere', '404 No'])(
    'accept no status but 200: %s',
    async (status) => {
      const url = at('/status', respond(`HTTP/1.1 ${status}`, ['Content-Length: 0']));
      expect(await failed(url)).toEqual({
        reason: 'unexpected status',
        message: `the server answered ${status.slice(0, 3)}`,
      });
    },
  );

  describe('F6 bombs', () => {
    const tooLarge: Outcome = {
      reason: 'too large',
      message: 'it is larger than 1000 bytes',
    };
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
      await when(() => server.seen.open === 0);
      expect(sent.bytes).toBeLessThan(16 * 2 ** 20);
      const page = ok(['Transfer-Encoding: chunked'], `7d0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`);
      expect(await failed(at('/chunks', page))).toEqual(tooLarge);
      // Bytes after the announced length are no part of the body.
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
        await when(() => server.seen.open === 0);
      }
    });

    it('never end short of what they announce', async () => {
      const incomplete: Outcome = {
        reason: 'incomplete',
        message: 'the answer broke off',
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

    it('are refused after more than 16 informational answers', async () => {
      const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
      const hints =
        (count: number): Page =>
        (socket) =>
          socket.end(`${hint.repeat(count)}HTTP/1.1 200 OK\r\n\r\nx`);
      expect(await text(outbound, at('/hints', hints(16)))).toBe('x');
      expect(await failed(at('/hints', hints(17)))).toEqual({
        reason: 'invalid answer',
        message: 'the server sent more than 16 informational answers',
      });
    });

    it('are refused where they are compressed', async () => {
      for (const coding of ['gzip', 'br', 'GZIP', 'identity, gzip', 'x']) {
        const url = at('/encoded', ok([`Content-Encoding: ${coding}`, 'Content-Length: 1'], 'x'));
        expect(await failed(url)).toEqual({
          reason: 'encoded answer',
          message: 'the server sent it compressed',
        });
      }
      expect(await text(outbound, at('/plain', ok(['Content-Encoding: Identity'], 'x')))).toBe('x');
    });

    it('are refused where the head is endless or nonsense', async () => {
      const invalid: Outcome = {
        reason: 'invalid answer',
        message: 'the server gave no valid answer',
      };
      const many = Array.from({ length: 10_000 }, (_, index) => `x-${index}: y`);
      expect(await failed(at('/many', ok(many)))).toEqual(invalid);
      expect(await failed(at('/long', ok([`x: ${'y'.repeat(100_000)}`])))).toEqual(invalid);
      expect(await failed(at('/text', (socket) => socket.end('220 mail.internal ESMTP\r\n')))).toEqual(
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
        message: 'it took too long',
      });
    });

    it('end with the signal though nobody reads them', async () => {
      const url = at('/drip', drip('HTTP/1.1 200 OK\r\n\r\n'));
      // Its time is up after the head has come, however slow the machine is.
      const controller = new AbortController();
      const { body } = await download(outbound, url, { ...limits(), signal: controller.signal });
      controller.abort(new DOMException('The time is up.', 'TimeoutError'));
      if (!body.closed) await new Promise((closed) => body.once('close', closed));
      expect(await failure(buffer(body))).toMatchObject({ reason: 'timed out' });
    });

    it('end where the reader gives up', async () => {
      const sent = { bytes: 0 };
      const { body } = await download(outbound, at('/endless', endless(sent, [])), limits(10 ** 9));
      await once(body, 'readable');
      body.destroy();
      await when(() => server.seen.open === 0);
      const waiting = await download(outbound, at('/silent', ok(['Content-Length: 9'])), limits());
      waiting.body.destroy();
    });

    it('end where the caller does, which is no time-out', async () => {
      const controller = new AbortController();
      const url = at('/drip', drip('HTTP/1.1 200 OK\r\n\r\n'));
      const { body } = await download(outbound, url, { ...limits(), signal: controller.signal });
      const end = failure(buffer(body));
      controller.abort();
      const interrupted: Outcome = {
        reason: 'interrupted',
        message: 'it was interrupted',
      };
      expect(await end).toEqual(interrupted);
      expect(await failed(url, { ...limits(), signal: controller.signal })).toEqual(interrupted);
    });
  });

  it('say when nobody is there', async () => {
    const gone = createServer();
    const { port } = await listen(gone, inside);
    await new Promise((done) => gone.close(done));
    expect(await failed(`http://${inside}:${port}/`)).toEqual({
      reason: 'unreachable',
      message: 'the server could not be reached',
    });
    expect(await failed(at('/hangs-up', (socket) => socket.destroy()))).toMatchObject({
      reason: 'unreachable',
    });
  });

  it('say when a connection does not come to stand', async () => {
    const timedOut: Outcome = { reason: 'timed out', message: 'it took too long' };
    const silent = await canary(inside);
    const hasty = new Outbound({ allow: [`${inside}/32`], connectMs: 300 });
    const call = download(hasty, `https://${inside}:${silent.port}/`, limits());
    expect(await failure(call)).toEqual(timedOut);
    await when(() => silent.seen.open === 0);
    await hasty.close();
    const lost = new Outbound({ allow: [], connectMs: 100, lookup: () => new Promise(() => undefined) });
    expect(await failure(download(lost, 'http://a.test/', limits()))).toEqual(timedOut);
    await lost.close();
  });
});

describe('8 requests', () => {
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
      'user-agent: node',
      'content-type: application/json',
      'accept-encoding: identity',
      'content-length: 7',
      '',
      '{"a":1}',
    ]);
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
    await when(() => server.seen.open === 0);
  });
});
