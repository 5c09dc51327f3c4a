import { EventSchedule } from './schedule.dto.js';
import { ScheduleStateEntity } from './schedule-state.entity.js';
import { scheduleFiring } from './schedule.job.js';
import { shownSchedules } from './shown-schedules.js';

export const schedulesFeature = {
  entities: [ScheduleStateEntity],
  jobs: [scheduleFiring],
  kinds: [shownSchedules],
  eventTypes: ['schedule.paused', 'schedule.resumed'],
  eventData: { schedule: { type: () => EventSchedule } },
  runKind: 'schedule',
};
