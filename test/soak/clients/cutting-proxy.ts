import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** What goes wrong with a request: nothing, it or its answer is lost, the answer is cut in its body, late, or a refusal. */
export type Fault = 'none' | 'lost' | 'unanswered' | 'cut' | 'late' | 'storm' | 'busy';

export interface CuttingProxy {
  readonly url: string;
  /** How often each fault has come. */
  readonly faults: ReadonlyMap<Fault, number>;
  stop(): void;
}

/** Stands before a service, and does to each request what `next` says. */
export async function startCuttingProxy(target: string, next: () => Fault): Promise<CuttingProxy> {
  const faults = new Map<Fault, number>();
  const server = createServer((asked, answer) => {
    void buffer(asked).then(async (body) => {
      const fault = next();
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      if (fault === 'lost') return answer.destroy();
      if (fault === 'storm') return answer.writeHead(429, { 'retry-after': '0' }).end();
      if (fault === 'busy') return answer.writeHead(503).end();
      const passed = request(new URL(asked.url ?? '/', target), {
        method: asked.method ?? 'GET',
        headers: { ...asked.headers, connection: 'close' },
      });
      passed.on('error', () => answer.destroy());
      passed.end(body);
      const [got] = (await once(passed, 'response')) as [NodeJS.ReadableStream & Got];
      return pass(fault, got, await buffer(got), answer);
    }, () => answer.destroy()); // prettier-ignore
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Got {
  readonly statusCode?: number;
  readonly headers: IncomingHttpHeaders;
}

async function pass(fault: Fault, { statusCode, headers }: Got, body: Buffer, answer: ServerResponse) {
  if (fault === 'unanswered') return answer.destroy();
  if (fault === 'late') await sleep(Math.random() * 300);
  const { 'transfer-encoding': _, ...kept } = headers;
  answer.writeHead(statusCode ?? 502, { ...kept, 'content-length': body.length });
  if (fault !== 'cut') return answer.end(body);
  return answer.write(body.subarray(0, body.length / 2), () => answer.destroy());
}
