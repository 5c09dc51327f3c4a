import { connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections through again. */
  mend(): Promise<void>;
  /** Loses PostgreSQL in this way at the chunk of its answers that is so many chunks ahead. */
  loseAt(chunks: number, how: Loss): void;
}

/**
 * The ways to lose PostgreSQL. `break`: one connection breaks in the middle of a chunk. `kill`: all break, and
 * nothing listens. `restart`: all break, one is told that PostgreSQL shuts down, and new ones that it is starting.
 */
export type Loss = 'break' | 'kill' | 'restart';

/** A TCP proxy on loopback that can be cut, as a network can. */
export async function startProxy(host: string, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let planned: { left: number; readonly how: Loss } | undefined;
  let isStarting = false;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (isStarting) return void client.once('data', () => client.end(fatal('57P03', 'it is starting up')));
    const target = connect(port, host);
    target.on('error', () => undefined);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('close', () => {
        for (const each of [client, target]) sockets.delete(each.destroy());
      });
    }
    client.pipe(target);
    target.on('end', () => client.end());
    target.on('data', (chunk: Buffer) => {
      if (planned) planned.left -= 1;
      if (planned?.left === 0) lose(client, chunk);
      else if (!client.writableEnded && !client.write(chunk)) {
        target.pause();
        client.once('drain', () => target.resume());
      }
    });
  });
  const lose = (client: Socket, chunk: Buffer): void => {
    const how = planned?.how;
    planned = undefined;
    if (how === 'break') return void client.end(chunk.subarray(0, chunk.length / 2));
    if (how === 'kill') server.close();
    isStarting = how === 'restart';
    for (const socket of sockets) if (socket !== client) socket.destroy();
    client.end(isStarting ? fatal('57P01', 'it shuts down') : '');
  };
  const listen = (at: number): Promise<void> => new Promise((done) => server.listen(at, '127.0.0.1', done));
  await listen(0);
  const address = server.address();
  const own = typeof address === 'object' && address ? address.port : 0;
  return {
    port: own,
    cut: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        for (const socket of sockets) socket.destroy();
      }),
    async mend() {
      planned = undefined;
      isStarting = false;
      if (!server.listening) await listen(own);
    },
    loseAt(chunks, how) {
      planned = { left: chunks, how };
    },
  };
}

/** The message by which PostgreSQL ends a connection. */
function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
