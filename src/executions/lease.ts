import { type EntityManager } from 'typeorm';
import { type Claimed, renew } from './claims.repository.js';

/** Somebody else has the execution by now. */
export class LostLease extends Error {}

export interface Lease {
  /** Aborts when the execution belongs to somebody else. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Renews the lease of a claimed execution every third of its length until the execution ends. */
export function holdLease(db: EntityManager, claimed: Claimed, leaseMs: number): Lease {
  const lost = new AbortController();
  const beat = (): void => {
    // While the database is away the lease may still be ours; the fence decides when something is written.
    renew(db, claimed, leaseMs).then(
      (isOurs) => {
        if (!isOurs) lost.abort(new LostLease());
      },
      () => undefined,
    );
  };
  const timer = setInterval(beat, leaseMs / 3);
  return {
    signal: lost.signal,
    end: () => {
      clearInterval(timer);
    },
  };
}
