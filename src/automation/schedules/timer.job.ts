import { fireTimer } from './fire-timer.js';
import { type ClaimedTimer, timerJob, type TimerKey, timerLeases } from '../timers/timers.repository.js';
import { type JobKind, leasedBy } from '../../common/ops/job-kind.js';
import { firingPartsOf } from './schedule.job.js';

const PLACES = 8;

/** Starts the action of a timer that is due. */
export const timer: JobKind<TimerKey, ClaimedTimer> = {
  name: timerJob,
  next: '(SELECT min(at) FROM timers)',
  isTimed: true,
  places: PLACES,
  shares: { ofWorkspace: PLACES / 2 },
  ...leasedBy(timerLeases),
  async run(parts, claimed) {
    await fireTimer(firingPartsOf(parts), claimed);
  },
};
