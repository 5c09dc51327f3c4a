import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Envelope } from '../../webhooks/webhooks.js';

/** Who is told by webhooks: keeps the order in which events came, and notices one that comes while it is being answered. */
export interface Told {
  readonly url: string;
  readonly came: readonly Envelope[];
  twiceAtOnce(): number;
  stop(): void;
}

/** Starts it; it answers after 20 ms at most. */
export async function startTold(): Promise<Told> {
  const came: Envelope[] = [];
  const inHand = new Set<string>();
  let twiceAtOnce = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const id = String(request.headers['webhook-id']);
    if (inHand.has(id)) twiceAtOnce += 1;
    inHand.add(id);
    response.on('close', () => inHand.delete(id));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      came.push(JSON.parse(Buffer.concat(chunks).toString()) as Envelope);
      setTimeout(() => response.end(), Math.random() * 20);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    came,
    twiceAtOnce: () => twiceAtOnce,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
