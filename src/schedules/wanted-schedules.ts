import { type Calendar } from '../calendars/calendar.js';
import { parseCalendar } from '../calendars/parse-calendar.js';
import { type Timetable } from '../calendars/firings.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { timetableOf } from './timetable.js';

/** A schedule of a definition, and its timetable. */
export interface WantedSchedule {
  readonly workflowId: number;
  readonly scheduleId: string;
  readonly timetable: Timetable;
  /** Everything that determines its times. */
  readonly text: string;
}

/** The schedules of a checked definition, by the database's ids of its workflows. */
export function wantedSchedules(
  { workspace, workflows, calendars }: WorkspaceDefinition,
  workflowIds: ReadonlyMap<string | undefined, number | undefined>,
): WantedSchedule[] {
  const { timezone = 'UTC' } = workspace;
  const compiled = new Map<string, Calendar>();
  for (const source of calendars) {
    const { value } = parseCalendar(source);
    if (value) compiled.set(value.id, value);
  }
  return workflows.flatMap(({ id, schedules }) =>
    schedules.flatMap((schedule) => {
      const timetable = timetableOf(schedule, { calendars: compiled, timezone });
      const workflowId = workflowIds.get(id);
      if (!timetable || workflowId === undefined) return [];
      const calendar = calendars.find((each) => each.id === schedule.calendar) ?? null;
      const text = JSON.stringify([schedule.cron, timetable.zone.name, calendar]);
      return [{ workflowId, scheduleId: schedule.id, timetable, text }];
    }),
  );
}
