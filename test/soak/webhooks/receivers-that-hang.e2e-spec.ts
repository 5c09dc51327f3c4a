import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Client } from '../../support/service.js';
import { definition, startSetting } from '../../webhooks/webhooks.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/vendors/tasks';
const hooks = '/api/v1/webhooks';

/** On all addresses of this machine: each is an origin of its own. */
interface Hanging {
  readonly port: number;
  /** The connections over which a request has come that is not answered. */
  readonly waiting: ReadonlySet<Socket>;
  /** How many connections were open at once, at most. */
  readonly most: () => number;
  stop(): void;
}

/** Answers so many requests, and none after these. */
async function startHanging(answered = 0): Promise<Hanging> {
  const open = new Set<Socket>();
  const waiting = new Set<Socket>();
  let left = answered;
  let most = 0;
  const server = createServer((socket) => {
    most = Math.max(most, open.add(socket).size);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        open.delete(socket);
        waiting.delete(socket);
      })
      .on('data', () => {
        if (left-- > 0) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        else waiting.add(socket);
      });
  });
  await new Promise<void>((listening) => server.listen(0, '0.0.0.0', listening));
  return {
    port: (server.address() as AddressInfo).port,
    waiting,
    most: () => most,
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

const setting = await startSetting({ WTS_OUTBOUND_ALLOW: '127.0.0.0/8' });
const { service } = setting;
const other = await service.clientOf(
  definition.replace('id: acme', 'id: other').replaceAll('acme.test', 'other.test'),
  'admin',
);

describe('receivers that hang', () => {
  const servers: Hanging[] = [];

  afterAll(async () => {
    for (const server of servers) server.stop();
    await setting.stop();
  });

  const hanging = async (answered?: number): Promise<Hanging> => {
    const server = await startHanging(answered);
    servers.push(server);
    return server;
  };
  const create = async (api: Client, ids: string, count = 1): Promise<void> => {
    for (let n = 0; n < count; n += 1) await api.post(tasks, { ID: `${ids}${n}` }).expect(201);
  };

  it('see five connections at most, also those that answered before', async () => {
    const server = await hanging(80);
    const url = `http://127.0.0.1:${server.port}/`;
    await other.post(hooks, { id: 'five', url, events: ['task.created'] }).expect(201);
    await other.post(`${hooks}/five/pause`).expect(200);
    await create(other, 'five', 100);
    await other.post(`${hooks}/five/enable`, { from: 'where_it_stopped' }).expect(200);
    await until('five requests wait', () => server.waiting.size === 5);
    expect(server.most()).toBe(5);
    await other.delete(`${hooks}/five`).expect(204);
  });

  it('keep no delivery of another workspace waiting, however many they are', async () => {
    const { service, receiver, api } = setting;
    const server = await hanging();
    const origin = (n: number): string => `http://127.1.${n >> 8}.${n & 255}:${server.port}/`;
    // So many at most are made one by one; a definition may have more.
    for (let n = 0; n < 200; n += 1)
      await api.post(hooks, { id: `hangs-${n}`, url: origin(n), events: ['task.created'] }).expect(201);
    const more = Array.from({ length: 100 }, (_, n) => n + 200);
    const webhooks = more.map((n) => `  - { id: hangs-${n}, url: "${origin(n)}", events: [task.created] }\n`);
    await service.apply(`${definition}webhooks:\n${webhooks.join('')}`);
    const url = `${receiver.url}/other`;
    await other.post(hooks, { id: 'prompt', url, events: ['task.created'] }).expect(201);
    await create(api, 'hangs', 2);
    // Most of what one workspace can have: a slow machine sends no more before the first are given up after 15 s.
    await until('the receivers hang', () => server.waiting.size >= 200);
    await create(other, 'prompt');
    await receiver.called('/other');
    expect(server.waiting.size).toBeGreaterThan(150);
  });
});
