import { nextFirings } from '../../workflows/time/firings.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { recordEvent } from '../../events/record-event.js';
import { lastRuns, recordRun } from '../../executions/runs/runs.repository.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type KindOperation, type ShownKind } from '../../workflows/model/shown-kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { ShownSchedule } from './schedule.dto.js';
import { ScheduleStateEntity } from './schedule-state.entity.js';
import { askForFiring, pauseSchedule, scheduleJob, type ScheduleKey } from './schedule-states.repository.js';
import { schedules } from './schedules.kind.js';
import { nominalOf, timetableOf } from './timetable.js';

/** How many of the next firings are shown. */
const SHOWN = 5;

export const shownSchedules: ShownKind<ScheduleDefinition, ShownSchedule> = {
  ...schedules,
  shown: ShownSchedule,
  async show(db, { workflow }) {
    const { workspaceId, id: workflowId } = workflow;
    const paused = await db.findBy(ScheduleStateEntity, { workspaceId, workflowId, isPaused: true });
    const all = schedules.in(workflow);
    const last = await lastRuns(db, workflow, 'schedule', all.map(({ id }) => id)); // prettier-ignore
    return all.map((schedule) => {
      const { id, cron } = schedule;
      const timetable = timetableOf(schedule, workflow);
      const next = timetable ? nextFirings(timetable, serviceTime(db).getTime(), SHOWN) : [];
      return {
        id,
        cron,
        timezone: timetable?.zone.name ?? workflow.timezone,
        state: paused.some(({ scheduleId }) => scheduleId === id) ? 'paused' : 'active',
        next: next.map(({ instant }) => new Date(instant).toISOString()),
        last_run_at: last.get(id)?.toISOString() ?? null,
      };
    });
  },
  facts: ({ cron, timezone, last_run_at, next, state }) => ({
    Times: cron,
    'Time zone': timezone,
    'Last run': last_run_at ?? 'never',
    Next: state === 'active' ? next : null,
  }),
  columns: ['Times', 'Time zone', 'Next'],
  runs: 'One run for each created task, each task on which the action started, and each skipped, missed or failed firing.',
  operations: {
    run: {
      title: 'Fire a schedule now',
      description: 'Fires outside the set times, even if the schedule is paused. The runs show the result.',
      later: 'The schedule will fire.',
      run: (tx, schedule, { workflow }) => askForFiring(tx, keyOf(schedule, workflow)),
      rings: (schedule, { workflow }) => [scheduleJob, keyOf(schedule, workflow)],
    },
    pause: {
      title: 'Pause a schedule',
      description: 'Until the schedule is resumed, its firings are `skipped`. An unfinished firing ends.',
      run: pausing(true),
    },
    resume: {
      title: 'Resume a schedule',
      description: 'The schedule fires at its next time.',
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
  return async (tx, schedule, { workflow, origin }) => {
    const key = keyOf(schedule, workflow);
    const before = await pauseSchedule(tx, key, isPaused);
    if (!before) return;
    const starter = { ...key, kind: 'schedule' as const, starterId: schedule.id, performer: undefined };
    const ended = { starter, result: 'skipped', because: 'the schedule is paused' } as const;
    if (isPaused && before.firing) await recordRun(tx, { ...ended, nominal: nominalOf(before.firing) });
    const type = isPaused ? 'schedule.paused' : 'schedule.resumed';
    const { workspaceId, workflowId } = key;
    const about = { schedule: schedule.id };
    await recordEvent(tx, { workspaceId, type, workflowId, origin: origin?.source, about });
  };
}
