import { connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections through again. */
  mend(): Promise<void>;
  /**
   * Loses PostgreSQL in this way after so many further messages; the returned function tells whether that has
   * happened.
   */
  loseAfter(messages: number, how: Loss): () => boolean;
}

/**
 * The ways to lose PostgreSQL. `break`: one connection breaks in the middle of a message. `kill`: all break, and
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
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      // prettier-ignore
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(target);
    const endsIn = messageReader();
    target.on('end', () => client.end());
    target.on('data', (chunk: Buffer) => {
      const ends = endsIn(chunk);
      const end = planned && ends[planned.left - 1];
      if (planned) planned.left -= ends.length;
      if (end !== undefined) lose(client, chunk, end);
      else if (!client.writableEnded && !client.write(chunk)) {
        target.pause();
        client.once('drain', () => target.resume());
      }
    });
  });
  const lose = (client: Socket, chunk: Buffer, end: number): void => {
    const how = planned?.how;
    planned = undefined;
    if (how === 'break') return void client.end(chunk.subarray(0, end + (chunk.length - end) / 2));
    if (how === 'kill') server.close();
    isStarting = how === 'restart';
    for (const socket of sockets) if (socket !== client) socket.destroy();
    client.end(Buffer.concat([chunk.subarray(0, end), isStarting ? fatal('57P01', 'it shuts down') : none]));
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
    loseAfter(messages, how) {
      const plan = { left: messages, how };
      planned = plan;
      return () => planned !== plan;
    },
  };
}

const none = Buffer.alloc(0);

/** Finds the ends of PostgreSQL's messages in each chunk; a message is a byte, a length, and its content. */
function messageReader(): (chunk: Buffer) => number[] {
  let head = none;
  let left = 0;
  return (chunk) => {
    const ends: number[] = [];
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        const missing = 5 - head.length;
        head = Buffer.concat([head, chunk.subarray(at, at + missing)]);
        at = Math.min(chunk.length, at + missing);
        if (head.length < 5) break;
        left = head.readInt32BE(1) - 4;
        head = none;
      } else {
        const read = Math.min(left, chunk.length - at);
        left -= read;
        at += read;
      }
      if (left === 0) ends.push(at);
    }
    return ends;
  };
}

/** The message by which PostgreSQL ends a connection. */
function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
