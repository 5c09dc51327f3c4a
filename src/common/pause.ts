import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after so many milliseconds; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** When background work starts: by itself, or only when a test asks for it (`WTS_TEST_OPTIONS`). */
export type Background = 'always' | 'asked';

/** The pauses between tries; they take no time where tests ask for background work. */
export function pauseOf(background: Background): Pause {
  return async (ms, signal) => {
    await sleep(background === 'asked' ? 0 : ms, undefined, { signal });
  };
}
