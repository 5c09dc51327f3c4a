import { type Calendar, closingOf, nextOpenDay } from './calendar.js';
import { type Cron, nextNominal } from './cron.js';
import { DAY, dayText, instantOf, periodAt, type Zone } from './zone.js';

/** When a schedule fires: a cron expression in a zone, and a calendar to whose open days it keeps. */
export interface Timetable {
  readonly cron: Cron;
  readonly zone: Zone;
  readonly calendar?: Calendar | undefined;
}

/** One firing of a schedule. Its nominal time and its offset are its own for ever. */
export interface Firing {
  /** The local time that the cron expression names, which may be none that the clock shows, or on a closed day. */
  readonly nominal: number;
  readonly offset: number;
  readonly instant: number;
  /** Whether it is in an hour that has been before, on the same day. */
  readonly isSecond: boolean;
}

/** The next firings after an instant. */
export function nextFirings(timetable: Timetable, after: number, count: number): Firing[] {
  const found: Firing[] = [];
  for (const firing of firingsAfter(timetable, after)) {
    if (found.length === count) break;
    found.push(firing);
  }
  return found;
}

/** The last firing after one instant and not after another. It looks at every firing between them. */
export function lastFiringBetween(timetable: Timetable, from: number, to: number): Firing | undefined {
  let last: Firing | undefined;
  for (const firing of firingsAfter(timetable, from)) {
    if (firing.instant > to) break;
    last = firing;
  }
  return last;
}

/** What templates know of a firing: its nominal date, its time (HHMM), its week (ISO 8601) and its month. */
export function labelsOf({ nominal, isSecond }: Firing): Record<'date' | 'time' | 'week' | 'month', string> {
  const text = new Date(nominal).toISOString();
  const date = text.slice(0, 10);
  const time = `${text.slice(11, 13)}${text.slice(14, 16)}${isSecond ? 'b' : ''}`;
  return { date, time, week: weekOf(Math.floor(nominal / DAY)), month: date.slice(0, 7) };
}

/** The week of a day by ISO 8601, 2026-W48: a week is in the year in which its Thursday is. */
function weekOf(day: number): string {
  const thursday = Math.floor((day + 3) / 7) * 7;
  const year = new Date(thursday * DAY).getUTCFullYear();
  const week = Math.floor((thursday - new Date(0).setUTCFullYear(year, 0, 1) / DAY) / 7) + 1;
  return `${dayText(thursday).slice(0, -6)}-W${String(week).padStart(2, '0')}`;
}

function* firingsAfter(timetable: Timetable, after: number): Generator<Firing> {
  const { calendar } = timetable;
  const all = calendar ? onOpenDays(timetable, calendar, after) : plainFirings(timetable, after);
  for (const firing of all) if (firing.instant > after) yield firing;
}

// Nothing that fires at all does so more rarely.
const LONGEST = 9 * 366 * DAY;

/** The firings from an instant on, as if every day were open. */
function* plainFirings({ cron, zone }: Timetable, from: number): Generator<Firing> {
  let last = from;
  for (let at = from; at < last + LONGEST;) {
    const { from: begins, to, offset } = periodAt(zone, at);
    const before = periodAt(zone, begins - 1);
    // What the clock shows at the change, before and after it.
    const [left, entered] = [begins + before.offset, begins + offset];
    const isAtBeginning = at === begins;
    let next = nextNominal(cron, at + offset, to + offset);
    if (isAtBeginning && left < entered && next !== entered) {
      const missed = nextNominal(cron, left, entered);
      if (missed !== undefined)
        yield { nominal: missed, offset: before.offset, instant: begins, isSecond: false };
    }
    for (; next !== undefined; next = nextNominal(cron, next + 1, to + offset)) {
      const isSecond = next < left;
      last = next - offset;
      if (!isSecond || cron.isHourly) yield { nominal: next, offset, instant: last, isSecond };
    }
    at = to;
  }
}

/** The firings after an instant, those of closed days on the next that is open; of several at once the one that is not moved, or the first. */
function* onOpenDays(timetable: Timetable, calendar: Calendar, after: number): Generator<Firing> {
  const { zone } = timetable;
  let target: number | undefined = -Infinity;
  let group = new Map<number, Firing>();
  for (const firing of plainFirings(timetable, instantOf(zone, firstMovedDay(calendar, zone, after) * DAY))) {
    const day = Math.floor(firing.nominal / DAY);
    if (day > target) {
      yield* [...group.values()].sort((one, other) => one.instant - other.instant);
      group = new Map();
      target = nextOpenDay(calendar, day);
      if (target === undefined) return;
    }
    const isMoved = day !== target;
    const instant = isMoved ? instantOf(zone, firing.nominal + (target - day) * DAY) : firing.instant;
    if (!isMoved || !group.has(instant)) group.set(instant, { ...firing, instant });
  }
}

/** The first day whose firings may be moved to after an instant. */
function firstMovedDay(calendar: Calendar, zone: Zone, after: number): number {
  const today = Math.floor((after + periodAt(zone, after).offset) / DAY);
  for (let day = today - 1; day > today - 366; day -= 1)
    if (closingOf(calendar, day) !== undefined) return day;
  return today - 366;
}
