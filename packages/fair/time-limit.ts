/**
 * Runs work with a signal. The signal aborts when one of the other signals aborts. After `ms` milliseconds,
 * and never earlier, the signal aborts with a `TimeoutError`. Avoids `AbortSignal.timeout`: Node.js 20 may
 * garbage-collect the timer of a timeout signal that `AbortSignal.any` combines with other signals.
 */
export async function withTimeLimit<T>(
  ms: number,
  others: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const expire = (): void => {
    limit.abort(new DOMException('The time is up.', 'TimeoutError'));
  };
  const follow = (): void => {
    limit.abort(others.find(({ aborted }) => aborted)?.reason);
  };
  // Timers count whole milliseconds, and may fire almost a millisecond early.
  const timer = setTimeout(expire, Math.ceil(ms) + 1);
  for (const other of others) other.addEventListener('abort', follow);
  if (others.some(({ aborted }) => aborted)) follow();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    for (const other of others) other.removeEventListener('abort', follow);
  }
}
