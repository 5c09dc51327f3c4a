import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { Secrets } from '../../../src/access/secrets.js';
import { Outbound } from '../../../packages/safe-http/client.js';
import { sendOnce } from '../../../src/webhooks/send-delivery.js';

describe('"15 s for an answer"', () => {
  const server = createServer();
  afterAll(() => server.close());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['says nothing', '', { status: null, cause: 'it took too long' }],
    ['stops within its headers', 'HTTP/1.1 200 OK\r\nX-', { status: null, cause: 'it took too long' }],
    ['says all but the end', 'HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n', { status: 500 }],
  ])('ends the wait for a receiver that %s', async (_, text, expected) => {
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const outbound = new Outbound({ allow: ['127.0.0.1/32'] });
    const url = `http://127.0.0.1:${port}/`;
    const target = { id: 'w', workspaceId: 1, workspace: 'acme', url, headers: {}, secrets: [Buffer.alloc(32)] } as const; // prettier-ignore
    let hasEnded = false;
    const message = { eventId: '00000000-0000-4000-8000-000000000000', body: '{}' };
    const sending = sendOnce(outbound, new Secrets(new Map()), target, message, []).finally(() => {
      hasEnded = true;
    });
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(socket, 'data');
    socket.write(text);
    await jest.advanceTimersByTimeAsync(15_000);
    expect(hasEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await sending).toMatchObject(expected);
    socket.destroy();
    await outbound.close();
  });
});
