import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after the given milliseconds; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** When background work starts: always by itself, or only when a test asks for it (`WTS_TEST_OPTIONS`). */
export type Background = 'always' | 'asked';

/** Returns the function that pauses between tries. If background work is `asked`, a pause takes no time. */
export function pauseOf(background: Background): Pause {
  return async (ms, signal) => {
    await sleep(background === 'asked' ? 0 : ms, undefined, { signal });
  };
}

/** The longest wait that a `Retry-After` can cause. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * The milliseconds to wait before the next try, by the number of tries so far. Undefined after the last
 * try. A jitter of ±20 % spreads the retries of many deliveries. A longer `Retry-After` replaces the wait. A
 * `Retry-After` of more than a day counts as a day.
 */
export function nextTryMs(
  delaysMs: readonly number[],
  tries: number,
  retryAfterMs: number,
): number | undefined {
  const delayMs = delaysMs[tries];
  if (delayMs === undefined) return undefined;
  return Math.max(delayMs * (0.8 + Math.random() * 0.4), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
