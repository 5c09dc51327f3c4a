import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Forwards the answers of a service; pages arrive in small pieces, as on a slow connection. */
export async function startSlowProxy(url: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer((asked, answer) => {
    const { 'accept-encoding': _, ...headers } = asked.headers;
    const passed = request(new URL(asked.url ?? '/', url), { method: asked.method ?? 'GET', headers });
    passed.on('error', () => answer.destroy());
    passed.on('response', (response) => void handOn(response, answer));
    asked.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function handOn(response: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { 'content-length': _, ...headers } = response.headers;
  answer.writeHead(response.statusCode ?? 502, headers);
  const bytes = await buffer(response);
  const isPage = String(headers['content-type']).startsWith('text/html');
  const size = isPage ? PIECE : bytes.length || 1;
  for (let at = 0; at < bytes.length; at += size) {
    answer.write(bytes.subarray(at, at + size));
    if (isPage) await sleep(PAUSE_MS);
  }
  answer.end();
}

/** Bytes per piece, for 50 kB a second. */
const PIECE = 1000;
const PAUSE_MS = 20;
