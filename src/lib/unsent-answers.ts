import { unavailable } from './errors.js';
import { type Holder } from '../../packages/fair/semaphore.js';
import { turn } from '../../packages/fair/turn.js';

/** The limit of bytes that wait for slow clients, on all connections together. */
export const MAX_UNSENT_BYTES = 64_000_000;

const measures = new Set<() => number>();

/** Adds a measure of the bytes that wait on the connections of a server; returns a function that removes it. */
export function measureUnsent(measure: () => number): () => void {
  measures.add(measure);
  return () => {
    measures.delete(measure);
  };
}

function allUnsent(): number {
  let sum = 0;
  for (const measure of measures) sum += measure();
  return sum;
}

/**
 * Makes a long answer wait for its turn, and until few enough bytes wait for clients: answers that are read faster
 * than clients take them would fill the memory. After 10 s, throws 503.
 */
export async function turnOfAnswer(holder: Holder): Promise<void> {
  for (let waited = 0; ; waited += POLL_INTERVAL_MS) {
    // Turns pass one request at a time, so the next one counts what this one has sent.
    await turn(holder);
    if (allUnsent() <= MAX_UNSENT_BYTES) return;
    if (waited >= WAIT_TIMEOUT_MS) throw unavailable('Too many answers are waiting for their clients.');
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

const POLL_INTERVAL_MS = 50;
const WAIT_TIMEOUT_MS = 10_000;
