import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback that can make a server seem to hang. */
export interface HangingProxy {
  readonly port: number;
  /** Holds back all data, without ending connections. */
  hang(): void;
  /** Lets all data through again, including what was held back. */
  goOn(): void;
  stop(): void;
}

export async function startHangingProxy(port: number): Promise<HangingProxy> {
  const sockets = new Set<Socket>();
  let hangs = false;
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => { sockets.delete(socket); other.destroy(); }); // prettier-ignore
      socket.on('data', (chunk) => other.write(chunk));
      if (hangs) socket.pause();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const all = (change: (socket: Socket) => void): void => { for (const socket of sockets) change(socket); }; // prettier-ignore
  return {
    port: (server.address() as AddressInfo).port,
    hang() {
      hangs = true;
      all((socket) => socket.pause());
    },
    goOn() {
      hangs = false;
      all((socket) => socket.resume());
    },
    stop() {
      server.close();
      all((socket) => socket.destroy());
    },
  };
}
