import { setMaxListeners } from 'node:events';

/** The lease was lost: another worker may have claimed the work. */
export class LostLease extends Error {}

export interface Lease {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  /** Whether the lease is lost. Checks the time, because timers of a suspended process fire late. */
  isLost(): boolean;
  end(): void;
}

/**
 * Renews the lease of claimed work after each third of `leaseMs`, until the caller calls `end`. `renew`
 * returns false if another worker has claimed the work. A lease that is not renewed in time is lost, because
 * another worker may have claimed the work.
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
    // If `renew` fails, the lease is valid until it expires.
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
