import { setTimeout } from 'node:timers/promises';
import { type Answer, type Connection, openConnection, textOf } from './connection.js';

export interface Drive {
  /** Requests answered within the counted seconds. */
  readonly requests: number;
  readonly seconds: number;
  /** All answered requests. */
  readonly all: number;
  /** The milliseconds of every answered request, in ascending order. */
  readonly latencies: readonly number[];
}

/** `requests` leaves out answers of the first moments, because connections and statements are new then. */
export async function drive(port: number, next: () => string, seconds: number, most = 32): Promise<Drive> {
  const connections = await Promise.all(Array.from({ length: most }, () => openConnection(port)));
  const run: Run = { latencies: [], isOver: false };
  const loops = Promise.all(connections.map((connection) => repeat(connection, next, run)));
  try {
    const [measured] = await Promise.all([measure(run, seconds), loops]);
    return { ...measured, all: run.latencies.length };
  } finally {
    run.isOver = true;
    for (const connection of connections) connection.close();
  }
}

/** If the status is not 2xx, throws an error with the body of the answer. */
export function requireSuccess(request: string, answer: Answer): void {
  if (answer.status >= 200 && answer.status < 300) return;
  throw new Error(`${request.split('\r\n')[0] ?? ''} was answered ${answer.status}: ${textOf(answer)}`);
}

interface Run {
  /** The milliseconds of each answered request, in the order of the answers. */
  readonly latencies: number[];
  isOver: boolean;
}

async function repeat(connection: Connection, next: () => string, run: Run): Promise<void> {
  while (!run.isOver) {
    const request = next();
    const begun = performance.now();
    requireSuccess(request, await connection.send(request));
    run.latencies.push(performance.now() - begun);
  }
}

async function measure(run: Run, seconds: number): Promise<Omit<Drive, 'all'>> {
  await setTimeout(RAMP_MS);
  const [first, begun] = [run.latencies.length, performance.now()];
  await setTimeout(seconds * 1000);
  const counted = { seconds: (performance.now() - begun) / 1000, latencies: run.latencies.slice(first) };
  run.isOver = true;
  counted.latencies.sort((one, other) => one - other);
  return { ...counted, requests: counted.latencies.length };
}

const RAMP_MS = 250;
