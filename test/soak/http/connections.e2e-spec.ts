import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import createApplication from 'express';
import { inTurn, limitConnections } from '../../../src/common/ops/connections.js';
import { answerRawRequests } from '../../../src/common/ops/edge.js';

const large = Buffer.alloc(4_000_000, 'x');

describe('a connection', () => {
  const sockets: Socket[] = [];
  const servers: Server[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  interface Started {
    readonly port: number;
    readonly begun: string[];
    /** Lets it answer `/late`. */
    readonly goOn: () => void;
  }

  /** A server that cuts after so many milliseconds without progress. */
  async function start(stallMs = 60_000): Promise<Started> {
    const begun: string[] = [];
    let goOn = (): void => undefined;
    const goingOn = new Promise<void>((resolve) => (goOn = resolve));
    const app = createApplication().use(inTurn, ({ url }, _, next) => {
      begun.push(url);
      next();
    });
    app.get('/large', (_, response) => void response.end(large));
    app.get('/late/:n', ({ url }, response) => void goingOn.then(() => response.end(url)));
    app.get('/{*any}', ({ url }, response) => void response.end(url));
    const server = createServer(app);
    servers.push(server);
    limitConnections(server);
    server.timeout = stallMs;
    answerRawRequests(server, app);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { port: (server.address() as AddressInfo).port, begun, goOn };
  }

  function open(port: number, sent: string): Socket {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined).write(sent);
    return socket;
  }

  const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      if (socket.closed) resolve();
      else
        socket.once('close', () => {
          resolve();
        });
    });
  const cutBy = async (socket: Socket): Promise<void> => {
    // Nobody who reads nothing hears of it: whoever writes does.
    const nagging = setInterval(() => socket.write('x'), 20);
    await closed(socket);
    clearInterval(nagging);
  };

  const late = [1, 2, 3, 4, 5, 6].map((n) => `/late/${n}`);
  /** Resolves when the server has seen what was sent before: it has answered on another connection since. */
  const seen = async (port: number): Promise<string> =>
    text(open(port, get('/seen', 'Connection: close\r\n')));

  it('handles four requests at once, and answers in their order', async () => {
    const { port, begun, goOn } = await start();
    const socket = open(port, late.map((path) => get(path)).join('') + get('/end', 'Connection: close\r\n'));
    const answer = text(socket);
    await seen(port);
    expect(begun.filter((path) => path !== '/seen')).toEqual(late.slice(0, 4));
    goOn();
    const bodies = (await answer).split('HTTP/1.1 200 OK').map((part) => part.split('\r\n\r\n')[1]);
    expect(bodies.slice(1)).toEqual([...late, '/end']);
  });

  it('gets nothing handled while its answers are not read, and is cut', async () => {
    const { port, begun } = await start(300);
    const socket = open(port, get('/large').repeat(1000)).pause();
    await cutBy(socket);
    // The first ones fit into what the system keeps for a connection.
    expect(begun.length).toBeLessThan(12);
  });

  it('stays open while its answers are read, however slowly', async () => {
    const { port } = await start(900);
    const socket = open(port, get('/large', 'Connection: close\r\n'));
    let length = 0;
    for (socket.pause(); length < large.length; await new Promise((resolve) => setTimeout(resolve, 25))) {
      const chunk = socket.read() as Buffer | null;
      length += chunk?.length ?? 0;
      if (socket.destroyed) break;
    }
    expect(length).toBeGreaterThan(large.length);
  });
});
