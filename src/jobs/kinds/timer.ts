import { fireTimer } from '../../schedules/fire-timer.js';
import {
  claimTimer,
  type ClaimedTimer,
  dueTimers,
  releaseTimer,
  renewTimer,
  timerJob,
  type TimerKey,
} from '../../timers/timers.repository.js';
import { type JobKind } from '../job-kind.js';
import { firingPartsOf } from './schedule.js';

const PLACES = 8;

/** Starts the action of a timer whose time has come. */
export const timer: JobKind<TimerKey, ClaimedTimer> = {
  name: timerJob,
  pauseMs: 250,
  places: PLACES,
  shares: { ofWorkspace: PLACES / 2 },
  staysInQueue: false,
  isLeaseStrict: false,
  keyOf: ({ workspaceId, id }) => `${workspaceId}/${id}`,
  due: ({ db }, { limit }) => dueTimers(db, limit),
  claim: ({ db, config }, key) => claimTimer(db, key, config.leaseMs),
  renew: ({ db, config }, claimed) => renewTimer(db, claimed, config.leaseMs),
  async run(parts, claimed) {
    await fireTimer(firingPartsOf(parts), claimed);
    return [];
  },
  release: ({ db }, claimed) => releaseTimer(db, claimed),
};
