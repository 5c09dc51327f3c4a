import { unavailable } from './errors.js';
import { type Holder } from '../../packages/fair/semaphore.js';
import { turn } from '../../packages/fair/turn.js';

/** So many bytes of answers may wait for clients that do not take them, on all connections together. */
export const MAX_UNSENT_BYTES = 64_000_000;

const measures = new Set<() => number>();

/** Says how many bytes of answers wait on the connections of a server; ends by what it returns. */
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
 * Makes a long answer wait for its turn, and until fewer bytes wait for clients: read faster than clients take them,
 * answers would only fill the memory. After 10 s it is refused with 503.
 */
export async function turnOfAnswer(holder: Holder): Promise<void> {
  for (let waited = 0; ; waited += POLL_INTERVAL_MS) {
    // One request checks at a time, so what it sends then is counted for the next one.
    await turn(holder);
    if (allUnsent() <= MAX_UNSENT_BYTES) return;
    if (waited >= WAIT_TIMEOUT_MS) throw unavailable('Too many answers wait for their clients.');
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

const POLL_INTERVAL_MS = 50;
const WAIT_TIMEOUT_MS = 10_000;
