import { FairSemaphore, type Holder } from './semaphore.js';

/** The length of a text that is made in one turn. */
export const TEXT_LENGTH = 131_072;

const turns = new FairSemaphore(1, () => new Error('never: a turn is waited for without end'), {
  ofKey: 1,
  ofWorkspace: 1,
  waitTimeoutMs: Infinity,
});

/** Returns a wait if one is due, otherwise undefined, so that small work never waits. */
export type Pause = () => Promise<void> | undefined;

/** To be called before each piece of work: waits for a turn if the pieces may have blocked the event loop. */
export function pauses(holder = anybody): Pause {
  let begun = performance.now();
  const wait = async (): Promise<void> => {
    await turn(holder);
    begun = performance.now();
  };
  return () => (performance.now() - begun < BUSY_MS ? undefined : wait());
}

const BUSY_MS = 5;

/** For long work whose owner is not known yet. */
const anybody: Holder = { workspaceId: 0 };

/**
 * Waits until the caller may occupy the event loop for some milliseconds: one piece of work per round, with keys
 * taking turns. Node.js accepts one new connection per round.
 */
export async function turn(holder = anybody): Promise<void> {
  await turns.acquire(holder);
  setImmediate(() => {
    turns.release(holder);
  });
}

/** Carries out work that may pause at each of its `yield`s, with turns for others in between. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  const pause = pauses();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Carries out such work without a pause. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
