import { setMaxListeners } from 'node:events';

/** Another worker has the work now. */
export class LostLease extends Error {}

export interface Lease {
  /** Aborts when another worker has the work. */
  readonly signal: AbortSignal;
  /** Also asks the clock, because after a process was suspended, old answers arrive before timers fire. */
  isLost(): boolean;
  end(): void;
}

/**
 * Keeps the lease of claimed work until the work ends, by renewing it for so many milliseconds each time a third of
 * that has passed. `renew` returns false if another worker has claimed the work. A lease that was not renewed in time
 * is lost, because others may have claimed the work.
 */
export function holdLease(renew: () => Promise<boolean>, leaseMs: number): Lease {
  const lost = new AbortController();
  setMaxListeners(0, lost.signal);
  let renewedAt = performance.now();
  const isLost = (): boolean => {
    if (performance.now() - renewedAt > leaseMs) lost.abort(new LostLease());
    return lost.signal.aborted;
  };
  const beat = (): void => {
    const begunAt = performance.now();
    isLost();
    // If the database does not answer, the lease is kept until it runs out.
    renew().then(
      (isOurs) => {
        if (isOurs) renewedAt = begunAt;
        else lost.abort(new LostLease());
      },
      () => undefined,
    );
  };
  const timer = setInterval(beat, leaseMs / 3);
  return {
    signal: lost.signal,
    isLost,
    end: () => {
      clearInterval(timer);
    },
  };
}
