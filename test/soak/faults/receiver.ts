import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Another system that executions call, which remembers who called: the calls about a task, by their keys. */
export interface Receiver {
  readonly url: string;
  readonly calls: ReadonlyMap<string, readonly string[]>;
  /** Answers calls about these tasks below `/held`, those that wait and those that are still on their way. */
  release(tasks: readonly string[]): void;
  close(): void;
}

/** Answers after 5 to 60 ms, and below `/held` when it is told to. */
export async function startReceiver(): Promise<Receiver> {
  const calls = new Map<string, string[]>();
  const held: { readonly task: string; readonly response: ServerResponse }[] = [];
  const released = new Set<string>();
  const server = createServer((request, response) => {
    const [, speed, task = ''] = (request.url ?? '').split('/');
    calls.set(task, [...(calls.get(task) ?? []), String(request.headers['idempotency-key'])]);
    request.resume();
    if (speed === 'held' && !released.has(task)) held.push({ task, response });
    else setTimeout(() => response.end(), 5 + Math.random() * 55);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    release(tasks) {
      for (const task of tasks) released.add(task);
      for (const { task, response } of held) if (released.has(task)) response.end();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
