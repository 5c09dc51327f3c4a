import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { type Ask } from '../ask.js';
import { openConnection } from '../connection.js';
import { requireSuccess } from '../drive.js';
import { type AtEnd } from '../lifetime.js';
import { type Bench } from '../open-bench.js';
import { type Target } from '../target.js';

/** Deliveries per second, of at most so many events, to one receiver that answers at once. */
export async function timeDeliveries(
  { db }: Bench,
  ask: Ask,
  target: Target,
  most: number,
  atEnd: AtEnd,
): Promise<number> {
  let [came, first, last] = [0, 0, 0];
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
    last = performance.now();
    first ||= last;
    came += 1;
  }).listen(0, '127.0.0.1');
  atEnd(() => {
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  await subscribe(ask, target, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { rowCount } = await db.query(changeTasks, [most]);
  const count = rowCount ?? 0;
  while (came < count) await new Promise((resolve) => setTimeout(resolve, 20));
  return (count - 1) / ((last - first) / 1000);
}

async function subscribe(ask: Ask, { port }: Target, url: string): Promise<void> {
  const request = ask('POST', '/api/v1/webhooks', { id: 'bench', url, events: ['task.updated'] });
  const connection = await openConnection(port);
  requireSuccess(request, await connection.send(request));
  connection.close();
}

// Changes different tasks, like many people at work; triggers record the events.
const changeTasks = `
  UPDATE tasks SET version = version + 1, assignee_id = NULL
  WHERE id IN (SELECT id FROM tasks WHERE assignee_id IS NOT NULL ORDER BY id DESC LIMIT $1)`;
