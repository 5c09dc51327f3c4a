import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { patience } from './until.js';

export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** A Redis of the test alone. */
export interface OwnRedis extends TestRedis {
  readonly pid: number;
}

/** The Redis of `REDIS_URL`, or a private one by the `redis-server` on the PATH. */
export async function startRedis(): Promise<TestRedis> {
  const given = process.env['REDIS_URL'];
  return given ? { url: given, stop: () => Promise.resolve() } : startOwnRedis();
}

/** A Redis that a test may stop, and start again on the same port. */
export async function startOwnRedis(former?: TestRedis): Promise<OwnRedis> {
  const port = former ? Number(new URL(former.url).port) : await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'wts-redis-'));
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', settings);
  const closed = new Promise((done) => server.once('close', done));
  const failed = once(server, 'error').then(([error]) => Promise.reject(error as Error));
  await Promise.race([failed, answers(port)]);
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid ?? 0,
    async stop() {
      server.kill();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether Redis is available for tests; in CI it must be. */
export function hasRedis(): boolean {
  const folders = (process.env['PATH'] ?? '').split(':');
  return (
    Boolean(process.env['REDIS_URL']) || folders.some((folder) => existsSync(join(folder, 'redis-server')))
  );
}

async function answers(port: number): Promise<void> {
  for (const deadline = Date.now() + patience; Date.now() < deadline;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'close').then(() => false)]).catch(() => false); // prettier-ignore
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('Redis does not answer');
}
