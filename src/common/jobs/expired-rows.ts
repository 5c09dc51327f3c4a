import { dropSome, type Leftovers } from '../database/leftovers.js';
import { doEach } from '../each.js';
import { type PeriodicSweep } from '../ops/job-kind.js';

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
