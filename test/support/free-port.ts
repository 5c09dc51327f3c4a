import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of this machine that nobody listens on. It is below those that the system gives to connections and to servers
 * that ask for any port, so that it stays free until somebody listens on it, perhaps again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(() => true, () => false); // prettier-ignore
    if (!isFree) continue;
    await new Promise((closed) => server.close(closed));
    return port;
  }
}
