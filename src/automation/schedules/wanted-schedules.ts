import { type Calendar } from '../../workflows/time/calendar.js';
import { parseCalendar } from '../../workflows/time/parse-calendar.js';
import { type Timetable } from '../../workflows/time/firings.js';
import { type AppliedDefinition } from '../../workflows/model/impact.js';
import { calendars } from '../../workflows/model/kinds/calendars.kind.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { timetableOf } from './timetable.js';

/** A schedule of a definition, and its timetable. */
export interface WantedSchedule {
  readonly workflowId: number;
  readonly scheduleId: string;
  readonly timetable: Timetable;
  /** Everything that determines its times. */
  readonly text: string;
}

/** The schedules of a stored definition. */
export function wantedSchedules(
  { definition, workflowIds }: Pick<AppliedDefinition, 'definition' | 'workflowIds'>,
  schedulesOf: (workflow: object) => readonly ScheduleDefinition[],
): WantedSchedule[] {
  const { timezone = 'UTC' } = definition.workspace;
  const sources = calendars.in(definition);
  const compiled = new Map<string, Calendar>();
  for (const source of sources) {
    const { value } = parseCalendar(source);
    if (value) compiled.set(value.id, value);
  }
  return definition.workflows.flatMap((workflow) =>
    schedulesOf(workflow).flatMap((schedule) => {
      const timetable = timetableOf(schedule, { calendars: compiled, timezone });
      const workflowId = workflowIds.get(workflow.id);
      if (!timetable || workflowId === undefined) return [];
      const calendar = sources.find((each) => each.id === schedule.calendar) ?? null;
      const text = JSON.stringify([schedule.cron, timetable.zone.name, calendar]);
      return [{ workflowId, scheduleId: schedule.id, timetable, text }];
    }),
  );
}
