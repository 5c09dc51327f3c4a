import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after so many milliseconds; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** The pauses between tries. Where tests start background work (`WTS_BACKGROUND=asked`), they take no time. */
export function pauseOf(background: 'always' | 'asked'): Pause {
  return async (ms, signal) => {
    await sleep(background === 'asked' ? 0 : ms, undefined, { signal });
  };
}
