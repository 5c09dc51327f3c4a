import { type Holder } from '../../../packages/fair/semaphore.js';
import { type JobKind, type PeriodicSweep, type Sweep } from '../ops/job-kind.js';
import { dropSome, type Leftovers } from '../database/leftovers.js';
import { doEach } from '../each.js';

export const WORK = Symbol('WORK');

export interface BackgroundWork {
  readonly jobs: readonly JobKind<Holder, unknown>[];
  readonly sweeps: readonly Sweep[];
  readonly periodic: readonly PeriodicSweep[];
  readonly followers: readonly string[];
}

/** Drops all leftovers once a minute. */
export const expiredRows = (all: readonly Leftovers[]): PeriodicSweep => ({
  name: 'expired-rows',
  everyMs: () => 60_000,
  async sweep({ db }) {
    await doEach(all, async (leftovers) => {
      while ((await dropSome(db, leftovers)) > 0);
    });
  },
});
