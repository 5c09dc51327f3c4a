import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readConfig } from '../src/config.js';
import { type AtEnd } from './lifetime.js';
import { freePort } from './target.js';

/** The Redis of `REDIS_URL`, or a private one by the `redis-server` on the PATH; undefined without either. */
export async function openRedis(atEnd: AtEnd): Promise<string | undefined> {
  const given = readConfig().redisUrl;
  if (given) return given;
  const port = await freePort();
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' }); // prettier-ignore
  const isMissing = once(server, 'error').then(() => true);
  if (await Promise.race([isMissing, isUp(port).then(() => false)])) return undefined;
  atEnd(() => server.kill());
  return `redis://127.0.0.1:${port}`;
}

async function isUp(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const answers = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    const there = await answers;
    socket.destroy();
    if (there) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
