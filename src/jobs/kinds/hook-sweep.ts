import { forgetHooks } from '../../rules/hooks/received-hooks.repository.js';
import { type Sweep } from '../job-kind.js';

/** Drops bodies of hooks that came seven days ago. */
export const hookSweep: Sweep = {
  name: 'hook-sweep',
  pauseMs: () => 60_000,
  async sweep({ db }) {
    while ((await forgetHooks(db)) > 0);
  },
};
