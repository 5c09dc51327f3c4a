import { type AppliedDefinition } from '../../workflows/model/impact.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkQuery, checkSchedule } from './check-schedule.js';
import { setSchedules, type WantedSchedule } from './schedule-states.repository.js';
import { schedule } from './schedule-definition.js';
import { calendars, calendarsOf } from '../../workflows/model/kinds/calendars.kind.js';
import { timetableOf } from './timetable.js';

export const schedules = kind({
  name: 'schedule',
  list: 'schedules',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(schedule, {
    title: 'Schedules',
    description: 'Schedules create tasks or start actions at set times.',
    maxItems: 100,
  }),
  check: checkSchedule,
  checkSound: checkQuery,
  async begin(tx, stored): Promise<void> {
    await setSchedules(tx, stored.workspaceId, wantedSchedules(stored));
  },
});

function wantedSchedules({ definition, workflowIds }: AppliedDefinition): WantedSchedule[] {
  const { timezone = 'UTC' } = definition.workspace;
  const sources = calendars.in(definition);
  const known = calendarsOf(definition);
  return definition.workflows.flatMap((workflow) =>
    schedules.in(workflow).flatMap((schedule) => {
      const timetable = timetableOf(schedule, { calendars: known, timezone });
      const workflowId = workflowIds.get(workflow.id);
      if (!timetable || workflowId === undefined) return [];
      const calendar = sources.find((each) => each.id === schedule.calendar) ?? null;
      const text = JSON.stringify([schedule.cron, timetable.zone.name, calendar]);
      return [{ workflowId, scheduleId: schedule.id, timetable, text }];
    }),
  );
}
