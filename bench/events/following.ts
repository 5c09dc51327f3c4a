import { get, type IncomingMessage } from 'node:http';
import { type Ask } from '../ask.js';
import { openConnection } from '../connection.js';
import { requireSuccess } from '../drive.js';
import { watchMemory } from '../memory.js';
import { type Bench } from '../open-bench.js';
import { type Target } from '../target.js';
import { changeTask } from './changes.js';
import { nextOf } from './reading.js';

/** Milliseconds from the answer of a write to that of a long poll that waited for it, in ascending order. */
export async function timeLongPolls({ port }: Target, ask: Ask, count: number): Promise<number[]> {
  const [reading, writing] = [await openConnection(port), await openConnection(port)];
  const times: number[] = [];
  let path = nextOf(await reading.send(ask('GET', '/api/v1/events?_after=now'))) ?? '';
  for (let n = 0; n < count; n += 1) {
    const held = reading
      .send(waiting(ask('GET', path)))
      .then((answer) => ({ answer, at: performance.now() }));
    // The poll is waiting by then; at which time between two looks the write comes is random.
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 50));
    const request = changeTask(ask, n);
    requireSuccess(request, await writing.send(request));
    const written = performance.now();
    const { answer, at } = await held;
    times.push(Math.max(0, at - written));
    path = nextOf(answer) ?? path;
  }
  reading.close();
  writing.close();
  return times.sort((one, other) => one - other);
}

const waiting = (request: string): string => request.replace('\r\n', '\r\nPrefer: wait=20\r\n');

/** The cost of many followers of the stream for the service. */
export interface Followed {
  /** The growth of its memory in bytes. */
  readonly growth: number;
  /** Seconds until every follower had all events. */
  readonly seconds: number;
}

/** Starts so many followers, and makes so many events. */
export async function followStreams(
  target: Target,
  { ask, key }: Bench,
  followers: number,
  events: number,
): Promise<Followed> {
  const { result, growth } = await watchMemory(target, async () => {
    const streams = await Promise.all(Array.from({ length: followers }, () => openStream(target, key)));
    const told = Promise.all(streams.map((stream) => untilTold(stream, events)));
    const begun = performance.now();
    const connection = await openConnection(target.port);
    for (let n = 0; n < events; n += 1) await connection.send(changeTask(ask, 1_000_000 + n));
    await told;
    connection.close();
    for (const stream of streams) stream.destroy();
    return (performance.now() - begun) / 1000;
  });
  return { growth, seconds: result };
}

function openStream({ port }: Target, key: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/api/v1/events?_after=now', headers, agent: false }, resolve).on(
      'error',
      reject,
    );
  });
}

function untilTold(stream: IncomingMessage, events: number): Promise<void> {
  let told = 0;
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      told += chunk.toString('latin1').split('\ndata: ').length - 1;
      if (told >= events) resolve();
    });
    stream.on('error', reject);
  });
}
