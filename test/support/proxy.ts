import { connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections through again. */
  mend(): Promise<void>;
}

/** A TCP proxy on loopback that can be cut, as a network can. */
export async function startProxy(host: string, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
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
      socket.pipe(other);
    }
  });
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
    mend: () => listen(own),
  };
}
