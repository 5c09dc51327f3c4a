import { FairSemaphore, type Holder } from './semaphore.js';

/** The number of characters that one turn serializes. */
export const TEXT_LENGTH = 131_072;

const turns = new FairSemaphore(1, () => new Error('never thrown: a turn has no time limit'), {
  ofKey: 1,
  ofWorkspace: 1,
  waitTimeoutMs: Infinity,
});

/** Returns a promise if the caller must wait, and otherwise undefined, so that short work never waits. */
export type Pause = () => Promise<void> | undefined;

/** Returns a function to call before each piece of work. The function waits for a turn after 5 ms of work. */
export function pauses(holder = anybody): Pause {
  let begun = performance.now();
  const wait = async (): Promise<void> => {
    await turn(holder);
    begun = performance.now();
  };
  return () => (performance.now() - begun < BUSY_MS ? undefined : wait());
}

const BUSY_MS = 5;

/** The holder of work whose owner is unknown. */
const anybody: Holder = { workspaceId: 0 };

/**
 * Waits until the caller may block the event loop for some milliseconds. In each round of the event loop, one
 * caller gets a turn, and Node.js accepts one new connection. The turns rotate among the keys.
 */
export async function turn(holder = anybody): Promise<void> {
  await turns.acquire(holder);
  setImmediate(() => {
    turns.release(holder);
  });
}

/** Runs a generator. At a `yield`, gives other work a turn if the generator has run for some milliseconds. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  const pause = pauses();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await pause();
  }
}

export function atOnce<T>(work: Generator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
