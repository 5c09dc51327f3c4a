import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Another system that executions call, which remembers who called: the calls about a task, by their keys. */
export interface Receiver {
  readonly url: string;
  readonly calls: ReadonlyMap<string, readonly string[]>;
  /** Answers all who wait below `/held`. */
  release(): void;
  close(): void;
}

/** Answers after 5 to 60 ms, below `/slow` after half a second, and below `/held` when it is told to. */
export async function startReceiver(): Promise<Receiver> {
  const calls = new Map<string, string[]>();
  const held: (() => void)[] = [];
  let openUntil = 0;
  const server = createServer((request, response) => {
    const [, speed, task = ''] = (request.url ?? '').split('/');
    calls.set(task, [...(calls.get(task) ?? []), String(request.headers['idempotency-key'])]);
    request.resume();
    if (speed === 'held' && Date.now() > openUntil) held.push(() => response.end());
    else setTimeout(() => response.end(), speed === 'slow' ? 500 : 5 + Math.random() * 55);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    release() {
      // Some may still be on their way.
      openUntil = Date.now() + 3000;
      for (const answer of held.splice(0)) answer();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
