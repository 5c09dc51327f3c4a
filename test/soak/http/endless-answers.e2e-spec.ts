import { type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createSecureServer } from 'node:tls';
import { generate } from 'selfsigned';
import { Outbound } from '../../../packages/safe-http/client.js';
import {
  closeAll,
  closers,
  failure,
  inside,
  limits,
  listen,
  type Page,
  pages,
  when,
} from '../../../packages/safe-http/test/network.js';

afterAll(closeAll);

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const tooLong = 'the server sent more than 65536 bytes beside the body';

/** Sends `start`, and then `more` as fast as the client takes it. */
const endless =
  (start: string, more: string): Page =>
  (socket) => {
    const piece = Buffer.from(more.repeat(Math.ceil(65_536 / more.length)));
    const send = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', send).write(start);
    send();
  };

async function certificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: inside }] }],
  });
  return { key, cert };
}

// By http: packages/safe-http/test/endless-answers.spec.ts.
describe('an answer by https', () => {
  const table = new Map<string, Page>();
  const accept = pages(table);
  let outbound: Outbound;
  let base: string;
  let isQuiet: () => boolean;

  beforeAll(async () => {
    const { key, cert } = await certificate();
    const server = createSecureServer({ key, cert }, (socket) => {
      accept(socket.on('error', () => undefined));
    });
    const { port, seen } = await listen(server, inside);
    outbound = new Outbound({ allow: [`${inside}/32`], ca: cert });
    closers.push(() => outbound.close());
    base = `https://${inside}:${port}`;
    isQuiet = () => seen.open === 0;
  });

  const request = async (path: string, page: Page): Promise<string> => {
    table.set(path, page);
    const { body } = await outbound.request(base + path, limits(10 ** 6));
    return (await buffer(body)).toString();
  };

  it.each([
    ['line ends', '', '\r\n'],
    ['space before a value', 'HTTP/1.1 200 OK\r\nx:', ' '],
    ['space in a trailer', `${chunked}1\r\nx\r\n0\r\nx:`, ' '],
  ])('ends where %s never end', async (_, start, more) => {
    expect(await failure(request('/endless', endless(start, more)))).toEqual({
      reason: 'invalid answer',
      message: tooLong,
    });
    await when(isQuiet);
  });

  it.each([
    ['header', 'HTTP/1.1 200 OK\r\n', 'x:\r\n', 'invalid answer'],
    ['trailer', `${chunked}1\r\nx\r\n0\r\n`, 'x:\r\n', 'invalid answer'],
    ['line of a header', 'HTTP/1.1 200 OK\r\nx: a', '\r\n b', 'invalid answer'],
  ])('ends where one %s follows another for ever', async (_, start, more, reason) => {
    expect(await failure(request('/endless', endless(start, more)))).toMatchObject({ reason });
    await when(isQuiet);
  });

  it('is followed by little on a connection that waits for the next request', async () => {
    const sent: Socket[] = [];
    const flood = endless('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=10\r\n\r\nhi', '\r\n');
    const page: Page = (socket, head) => {
      sent.push(socket);
      flood(socket, head);
    };
    expect(await request('/idle', page)).toBe('hi');
    await when(isQuiet);
    // The buffers of both sides contain some of it.
    expect(sent.map(({ bytesWritten }) => bytesWritten < 32 * 2 ** 20)).toEqual([true]);
  });
});

it('an answer by TLS 1.2 ends where the handshake is repeated for ever', async () => {
  const { key, cert } = await certificate();
  const server = createSecureServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
    const again = (error?: Error | null): void => {
      if (!error) socket.renegotiate({}, again);
    };
    socket
      .on('error', () => undefined)
      .once('data', () => {
        again();
      });
  });
  const { port } = await listen(server, inside);
  const outbound = new Outbound({ allow: [`${inside}/32`], ca: cert });
  closers.push(() => outbound.close());
  expect(await failure(outbound.request(`https://${inside}:${port}/`, limits()))).toEqual({
    reason: 'invalid answer',
    message: tooLong,
  });
});
