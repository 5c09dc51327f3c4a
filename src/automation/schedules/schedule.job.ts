import { fireSchedule } from './fire-schedule.js';
import {
  type ClaimedSchedule,
  scheduleJob,
  type ScheduleKey,
  scheduleLeases,
} from './schedule-states.repository.js';
import { type JobKind, leasedBy } from '../../common/ops/job-kind.js';

const PLACES = 4;

/** Fires a schedule that is due: creates a task, or starts an action on all tasks of its query. */
export const scheduleFiring: JobKind<ScheduleKey, ClaimedSchedule> = {
  name: scheduleJob,
  next: '(SELECT min(next_at) FROM schedule_states)',
  isTimed: true,
  places: PLACES,
  shares: { ofWorkspace: PLACES / 2 },
  isOutbound: true,
  ...leasedBy(scheduleLeases),
  async run(parts, claimed, { lease, stopping }) {
    for (let hasMore = true; hasMore && !stopping.aborted && !lease.isLost();)
      hasMore = await fireSchedule(parts, claimed);
  },
};
