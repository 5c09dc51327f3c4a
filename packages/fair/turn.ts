import { FairSemaphore, type Holder } from './semaphore.js';

/** How many characters of a text are made in one turn. */
export const TEXT_LENGTH = 131_072;

const turns = new FairSemaphore(1, () => new Error('never: a turn is waited for without end'), {
  ofKey: 1,
  ofWorkspace: 1,
  waitTimeoutMs: Infinity,
});

/** Returns a promise if a wait is due, and otherwise undefined, so that small work never waits. */
export type Pause = () => Promise<void> | undefined;

/** To call before each piece of work: waits for a turn if the pieces may have blocked the event loop. */
export function pauses(holder = anybody): Pause {
  let begun = performance.now();
  const wait = async (): Promise<void> => {
    await turn(holder);
    begun = performance.now();
  };
  return () => (performance.now() - begun < BUSY_MS ? undefined : wait());
}

const BUSY_MS = 5;

/** The holder of long work whose owner is not known yet. */
const anybody: Holder = { workspaceId: 0 };

/**
 * Waits until the caller may block the event loop for some milliseconds. One caller gets a turn in each round, and keys
 * take turns. Node.js accepts one new connection in each round.
 */
export async function turn(holder = anybody): Promise<void> {
  await turns.acquire(holder);
  setImmediate(() => {
    turns.release(holder);
  });
}

/** Runs work that may pause at each `yield`; others get turns in between. */
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
