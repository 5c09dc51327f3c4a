import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type DownloadLimits, download } from '../download.js';
import { OutboundFailure, type OutboundReason } from '../failure.js';
import { type Outbound } from '../client.js';

/** Loopback addresses of Linux: the first is the inside; the allow-list makes the second stand for the Internet. */
export const inside = '127.0.0.1';
export const outside = '127.0.0.2';

export const closers: (() => Promise<unknown>)[] = [];

export const closeAll = (): Promise<unknown> => Promise.all(closers.map((close) => close()));

export interface Listener {
  readonly port: number;
  readonly seen: { accepted: number; open: number; bytes: number };
}

export async function listen(server: Server, host: string, port = 0): Promise<Listener> {
  const seen = { accepted: 0, open: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    seen.accepted++;
    seen.open++;
    sockets.add(socket);
    changes.emit('change');
    socket
      .on('error', () => undefined)
      .on('close', () => {
        seen.open--;
        sockets.delete(socket);
        changes.emit('change');
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

export function canary(host: string, port?: number): Promise<Listener> {
  const server = createServer((socket) => {
    socket.on('data', (chunk) => (listener.seen.bytes += chunk.length));
  });
  const starting = listen(server, host, port);
  let listener: Listener;
  return starting.then((started) => (listener = started));
}

export type Page = (socket: Socket, request: string) => unknown;

/** Answers as badly as a page wants, with one request per connection. */
export function pages(table: ReadonlyMap<string, Page>): (socket: Socket) => void {
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

export const respond =
  (status: string, headers: readonly string[], body: string | Buffer = ''): Page =>
  (socket) => {
    socket.write(`${[status, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`, 'latin1');
    socket.end(body);
  };
export const ok = (headers: readonly string[], body: string | Buffer = ''): Page =>
  respond('HTTP/1.1 200 OK', headers, body);
export const redirect = (location: string, status = 302): Page =>
  respond(`HTTP/1.1 ${status} Elsewhere`, [`Location: ${location}`, 'Set-Cookie: a=b', 'Content-Length: 0']);

/** Resolves when connections have come or gone so that this holds. */
export async function when(holds: () => boolean): Promise<void> {
  while (!holds()) await once(changes, 'change');
}

/** Tells of each connection that is accepted or closed. */
const changes = new EventEmitter().setMaxListeners(0);

export const limits = (maxBytes = 1000, milliseconds = 20_000): DownloadLimits => ({
  workspaceId: 1,
  maxBytes,
  signal: AbortSignal.timeout(milliseconds),
});

export interface Outcome {
  readonly reason: OutboundReason;
  readonly message: string;
}

export async function failure(work: Promise<unknown>): Promise<Outcome> {
  const error: unknown = await work.then(
    () => 'it succeeded',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OutboundFailure)) throw new Error('another end than a failure', { cause: error });
  return { reason: error.reason, message: error.message };
}

export const text = async (outbound: Outbound, url: string): Promise<string> =>
  (await buffer((await download(outbound, url, limits())).body)).toString();

/** Both ways out, read to the end. */
export const attempts = (outbound: Outbound, url: string): Promise<unknown>[] => [
  text(outbound, url),
  outbound.request(url, limits()).then(({ body }) => buffer(body)),
];

export const noAddress: Outcome = {
  reason: 'address not allowed',
  message: 'its address is not allowed',
};

export async function expectRefused(outbound: Outbound, url: string, expected = noAddress): Promise<void> {
  for (const outcome of await Promise.all(attempts(outbound, url).map(failure)))
    expect({ url, ...outcome }).toEqual({ url, ...expected });
}
