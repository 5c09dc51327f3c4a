import { FairSemaphore, type Holder } from './semaphore.js';

/** How long a text is that is made in one turn. */
export const TEXT_LENGTH = 131_072;

const turns = new FairSemaphore(1, () => new Error('never: a turn is waited for without end'), {
  ofKey: 1,
  ofWorkspace: 1,
  waitTimeoutMs: Infinity,
});

/** What waits for a turn where that is due; undefined where it is not, so that small work need not wait at all. */
export type Pause = () => Promise<void> | undefined;

/** Of work in small pieces, to be called before each: waits for a turn where that may have kept the event loop busy. */
export function pauses(holder = anybody): Pause {
  let begun = performance.now();
  const wait = async (): Promise<void> => {
    await turn(holder);
    begun = performance.now();
  };
  return () => (performance.now() - begun < BUSY_MS ? undefined : wait());
}

const BUSY_MS = 5;

/** Long work that is done before anybody asks who it is for. */
const anybody: Holder = { workspaceId: 0 };

/**
 * Waits until the caller may keep the event loop busy for some milliseconds: one piece of work in each round of it, and
 * the keys take turns. Node.js accepts one new connection in a round.
 */
export async function turn(holder = anybody): Promise<void> {
  await turns.acquire(holder);
  setImmediate(() => {
    turns.release(holder);
  });
}
