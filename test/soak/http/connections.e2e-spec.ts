import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import createApplication from 'express';
import { boundConnections, inTurn, serverLimits } from '../../../src/ops/connections.js';
import { answerRawRequests } from '../../../src/ops/edge.js';

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
    /** Lets it answer the second `/late` and all further ones. */
    readonly goOn: () => void;
  }

  /** What was begun, in order, on a server that answers `/large` and refuses every POST. */
  async function start(limits: Partial<typeof serverLimits> = {}): Promise<Started> {
    const begun: string[] = [];
    let goOn = (): void => undefined;
    const goingOn = new Promise<void>((resolve) => (goOn = resolve));
    let late = 0;
    const app = createApplication().use(inTurn, (request, _, next) => {
      begun.push(request.url);
      next();
    });
    app.get('/large', (_, response) => void response.end(large));
    app.get('/late/:n', ({ url }, response) => {
      const first = new Promise((resolve) => setTimeout(resolve, 20));
      void (late++ === 0 ? first : goingOn).then(() => response.end(url));
    });
    app.get('/{*any}', ({ url }, response) => void response.end(url));
    app.post('/{*any}', (_, response) => void response.writeHead(403, { Connection: 'close' }).end('no'));
    const server = createServer(app);
    servers.push(server);
    boundConnections(server, { ...serverLimits, ...limits });
    answerRawRequests(server, app);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { port: (server.address() as AddressInfo).port, begun, goOn };
  }

  function open(port: number, sent: string, allowHalfOpen = false): Socket {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
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

  it('answers a thousand requests that came at once, in order', async () => {
    const { port, begun } = await start();
    const paths = Array.from({ length: 1000 }, (_, n) => `/${n}`);
    const last = get('/end', 'Connection: close\r\n');
    const answer = await text(open(port, paths.map((path) => get(path)).join('') + last));
    expect(begun).toEqual([...paths, '/end']);
    expect(answer.split('HTTP/1.1 200 OK').map((part) => part.split('\r\n\r\n')[1]).slice(1)).toEqual(begun); // prettier-ignore
  });

  it('begins with a request when the answer to the one before is out', async () => {
    const { port, begun, goOn } = await start();
    const socket = open(port, get('/late/1') + get('/late/2') + get('/late/3', 'Connection: close\r\n'));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/\/late\/1$/);
    expect(begun.length).toBeLessThan(3);
    goOn();
    await closed(socket.resume());
    expect(begun).toEqual(['/late/1', '/late/2', '/late/3']);
  });

  it('begins with nothing while its answers are not read, and is cut', async () => {
    const { port, begun } = await start({ stallMs: 300 });
    const socket = open(port, get('/large').repeat(1000)).pause();
    await cutBy(socket);
    // The first ones fit into what the system keeps for a connection.
    expect(begun.length).toBeLessThan(10);
  });

  it('stays while its answers are read, however slowly', async () => {
    const { port } = await start({ stallMs: 900 });
    const socket = open(port, get('/large', 'Connection: close\r\n'));
    let length = 0;
    for (socket.pause(); length < large.length; await new Promise((resolve) => setTimeout(resolve, 25))) {
      const chunk = socket.read() as Buffer | null;
      length += chunk?.length ?? 0;
      if (socket.destroyed) break;
    }
    expect(length).toBeGreaterThan(large.length);
  });

  it('that is refused while it sends gets the answer first, and may go on sending for a while', async () => {
    const { port } = await start({ lingerBytes: 50_000_000 });
    const socket = open(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 40000000\r\n\r\n', true);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    for (let n = 0; n < 10; n += 1)
      await new Promise<void>((resolve, reject) =>
        socket.write(large, (error) => {
          if (error) reject(error);
          else resolve();
        }),
      );
    await closed(socket.end());
    expect(answer).toMatch(/^HTTP\/1\.1 403 .*\r\nno\r\n/s);
  });
});
