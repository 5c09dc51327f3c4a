import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Another system that executions call, which remembers who called: the calls about a task, by their keys. */
export interface Receiver {
  readonly url: string;
  readonly calls: ReadonlyMap<string, readonly string[]>;
  close(): void;
}

/** Answers after 5 to 60 ms. */
export async function startReceiver(): Promise<Receiver> {
  const calls = new Map<string, string[]>();
  const server = createServer((request, response) => {
    const [, task = ''] = (request.url ?? '').split('/');
    calls.set(task, [...(calls.get(task) ?? []), String(request.headers['idempotency-key'])]);
    request.resume();
    setTimeout(() => response.end(), 5 + Math.random() * 55);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
