import { setMaxListeners } from 'node:events';

/** Somebody else has the work by now. */
export class LostLease extends Error {}

export interface Lease {
  /** Aborts when the work belongs to somebody else. */
  readonly signal: AbortSignal;
  /** Whether the work belongs to somebody else, by the clock too: after a process was stopped, old answers come before timers run. */
  isLost(): boolean;
  end(): void;
}

/** How a lease is held. */
export interface LeaseTerms {
  /** Milliseconds for which each renewal holds. */
  readonly leaseMs: number;
  /** Whether one that could not be renewed in time counts as lost: others may have claimed the work by then. */
  readonly isStrict?: boolean;
}

/**
 * Renews the lease of claimed work every third of its length until the work ends; `renew` is false where somebody else
 * has claimed it.
 */
export function holdLease(renew: () => Promise<boolean>, { leaseMs, isStrict = false }: LeaseTerms): Lease {
  const lost = new AbortController();
  setMaxListeners(0, lost.signal);
  let renewedAt = performance.now();
  const isLost = (): boolean => {
    if (isStrict && performance.now() - renewedAt > leaseMs) lost.abort(new LostLease());
    return lost.signal.aborted;
  };
  const beat = (): void => {
    const begunAt = performance.now();
    isLost();
    // While the database is away the lease may still be ours; the fence decides when something is written.
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
