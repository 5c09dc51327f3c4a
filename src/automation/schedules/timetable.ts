import { type Calendar } from '../../workflows/time/calendar.js';
import { parseCron } from '../../workflows/time/cron.js';
import { type Firing, type Timetable, lastFiringBetween } from '../../workflows/time/firings.js';
import { zoneOf, DAY, periodAt } from '../../workflows/time/zone.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** Compiles a schedule's timetable. Undefined if this service version cannot parse the cron expression. */
export function timetableOf(
  { cron, calendar: calendarId }: ScheduleDefinition,
  { calendars, timezone }: Pick<Workflow, 'calendars' | 'timezone'>,
): Timetable | undefined {
  const { value } = parseCron(cron);
  const calendar: Calendar | undefined = calendarId === undefined ? undefined : calendars.get(calendarId);
  return value && { cron: value, zone: calendar?.zone ?? zoneOf(timezone), calendar };
}

/** The text that identifies a firing: its nominal local time with the offset, `2026-11-30T07:00+01:00`. */
export function nominalOf({ nominal, offset }: Pick<Firing, 'nominal' | 'offset'>): string {
  const local = new Date(nominal).toISOString();
  // Only a requested firing has seconds, which distinguish it from a firing of the timetable in that minute.
  return `${nominal % 60_000 === 0 ? local.slice(0, 16) : local.slice(0, 19)}${offsetText(offset)}`;
}

function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}

interface Due {
  readonly firing: Firing | undefined;
  /** Whether the firing is too late to be carried out. Also true if there is no firing. */
  readonly isMissed: boolean;
  /** The new `countedFrom`: firings up to this time are then no longer due. */
  readonly countedTo: number;
}

/** A firing is missed if the service is more than this many milliseconds late. */
const TOO_LATE = DAY;

/** If several firings are due, only the last one counts, because all would do the same. */
export function dueFiring(timetable: Timetable, countedFrom: number, now: number): Due {
  // If the clock of the service is set back, no firing is repeated.
  const countedTo = Math.max(countedFrom, now);
  const recent = lastFiringBetween(timetable, Math.max(countedFrom, now - TOO_LATE), now);
  const firing = recent ?? lastFiringBetween(timetable, countedFrom, now - TOO_LATE);
  return { firing, isMissed: !recent, countedTo };
}

/** A requested firing: it keeps its seconds, unlike firings of the timetable. */
export function askedFiring({ zone }: Pick<Timetable, 'zone'>, at: number): Firing {
  const instant = Math.floor(at / 1000) * 1000;
  const { offset } = periodAt(zone, instant);
  return { nominal: instant + offset, offset, instant, isSecond: false };
}
