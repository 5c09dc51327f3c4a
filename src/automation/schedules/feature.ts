import { ScheduleStateEntity } from './schedule-state.entity.js';
import { scheduleFiring } from './schedule.job.js';
import { SchedulesModule } from './schedules.module.js';
import { shownSchedules } from './shown-schedules.js';
import { timer } from './timer.job.js';

/** What this folder brings to the service. */
export const schedulesFeature = {
  entities: [ScheduleStateEntity],
  jobs: [scheduleFiring, timer],
  kinds: [shownSchedules],
  modules: [SchedulesModule],
};
