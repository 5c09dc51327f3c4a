import { type EntityManager } from 'typeorm';
import { nextFirings } from '../../workflows/time/firings.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { recordEvent } from '../../events/record-event.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type KindOperation, type ShownKind } from '../../workflows/model/shown-kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { ShownSchedule } from './schedule.dto.js';
import { type ScheduleStateEntity } from './schedule-state.entity.js';
import {
  askForFiring,
  pauseSchedule,
  scheduleJob,
  type ScheduleKey,
  scheduleStatesOf,
} from './schedule-states.repository.js';
import { schedules } from './schedules.kind.js';
import { timetableOf } from './timetable.js';

export const shownSchedules: ShownKind<ScheduleDefinition, ShownSchedule> = {
  ...schedules,
  shown: ShownSchedule,
  async show(db, { workflow }) {
    const states = await scheduleStatesOf(db, workflow);
    const now = serviceTime(db);
    return schedules
      .in(workflow)
      .map((schedule) => showSchedule(schedule, workflow, states.get(schedule.id), now));
  },
  facts: ({ cron, timezone, last, next, state }) => ({
    Times: cron,
    'Time zone': timezone,
    'Last run': last?.at ?? 'never',
    Next: state === 'active' ? next : null,
  }),
  columns: ['Times', 'Time zone', 'Next'],
  runs: 'One run for each task that it created or started an action on, and for each firing that was left out.',
  operations: {
    run: {
      title: 'Fire a schedule now',
      description: 'In addition to its set times, even if it is paused. The result is a run.',
      later: 'The schedule will fire.',
      run: (tx, schedule, { workflow }) => askForFiring(tx, keyOf(schedule, workflow)),
      rings: (schedule, { workflow }) => [scheduleJob, keyOf(schedule, workflow)],
    },
    pause: {
      title: 'Pause a schedule',
      description: 'Its firings are `skipped` from now on, and are not made up for.',
      run: pausing(true),
    },
    resume: {
      title: 'Resume a schedule',
      description: 'It fires at its next time.',
      run: pausing(false),
    },
  },
};

const keyOf = ({ id }: ScheduleDefinition, { workspaceId, id: workflowId }: Workflow): ScheduleKey => ({
  workspaceId,
  workflowId,
  scheduleId: id,
});

function pausing(isPaused: boolean): KindOperation<ScheduleDefinition>['run'] {
  return async (tx: EntityManager, schedule: ScheduleDefinition, { workflow, origin }: Scope) => {
    if (!(await pauseSchedule(tx, keyOf(schedule, workflow), isPaused))) return;
    await recordEvent(tx, {
      workspaceId: workflow.workspaceId,
      type: isPaused ? 'schedule.paused' : 'schedule.resumed',
      workflowId: workflow.id,
      origin: origin?.source,
      about: { schedule: schedule.id },
    });
  };
}

const SHOWN = 5;

function showSchedule(
  schedule: ScheduleDefinition,
  workflow: Workflow,
  state: ScheduleStateEntity | undefined,
  now: Date,
): ShownSchedule {
  const { id, cron } = schedule;
  const timetable = timetableOf(schedule, workflow);
  return {
    id,
    cron,
    timezone: timetable?.zone.name ?? workflow.timezone,
    state: state?.isPaused === true ? 'paused' : 'active',
    next: timetable
      ? nextFirings(timetable, now.getTime(), SHOWN).map(({ instant }) => new Date(instant).toISOString())
      : [],
    last: state?.last ?? null,
  };
}
