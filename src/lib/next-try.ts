/** A receiver that asks for a longer pause is tried again after this. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Milliseconds from a failure to the next try, after so many tries; undefined where that was the last. With jitter of
 * ±20 %, so that many deliveries do not come back at once, and never sooner than `Retry-After` asks for.
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
