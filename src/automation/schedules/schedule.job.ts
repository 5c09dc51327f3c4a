import { executionJob } from '../../executions/executions.repository.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { fireSchedule, type FiringParts } from './fire-schedule.js';
import {
  type ClaimedSchedule,
  scheduleJob,
  type ScheduleKey,
  scheduleLeases,
} from './schedule-states.repository.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type JobKind, leasedBy, type JobParts } from '../../common/ops/job-kind.js';

export function firingPartsOf(parts: JobParts): FiringParts {
  return {
    work: parts.provider(UnitOfWork),
    workspaces: parts.provider(Workspaces),
    ring: (executions) => {
      for (const execution of executions) parts.provider(Doorbell).ring(executionJob, execution);
    },
  };
}

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
    const firing = firingPartsOf(parts);
    for (let hasMore = true; hasMore && !stopping.aborted && !lease.isLost();)
      hasMore = await fireSchedule(firing, claimed);
  },
};
