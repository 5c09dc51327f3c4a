import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawRequest } from './raw-request.js';

/**
 * Sends a request to a service on loopback, and disconnects at a random byte of the request or the answer, or between
 * them.
 */
export async function sendAndGoAway(url: string, request: RawRequest): Promise<void> {
  const bytes = bytesOf(request);
  const isWhole = Math.random() < 0.5;
  const sent = isWhole ? bytes : bytes.subarray(0, below(bytes.length));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => { resolve(); })); // prettier-ignore
  const leave = (): void => {
    if (Math.random() < 0.5) socket.destroy();
    else socket.resetAndDestroy();
  };
  socket.write(sent);
  const enough = below(below(100_000));
  let read = 0;
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > enough) leave();
  });
  await Promise.race([closed, sleep(below(isWhole ? 300 : 30))]);
  leave();
  await closed;
}

const below = (most: number): number => Math.floor(Math.random() * most);

function bytesOf({ method, path, headers = [], body = '' }: RawRequest): Buffer {
  const length: [string, string] = ['Content-Length', String(Buffer.byteLength(body))];
  const lines = [['Host', 'x'], ...headers, length].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ]);
}
