import { type Calendar, closingOf, nextOpenDay } from './calendar.js';
import { type Cron, nextNominal } from './cron.js';
import { DAY, dayText, instantOf, periodAt, type Zone } from './zone.js';

/** A cron expression in a zone. With a calendar, firings on closed days move to the next open day. */
export interface Timetable {
  readonly cron: Cron;
  readonly zone: Zone;
  readonly calendar?: Calendar | undefined;
}

/** A firing of a timetable. Its nominal time and its offset together identify it. */
export interface Firing {
  /**
   * The local time that the cron expression names. The firing may be at another time: the clock may skip this
   * time, or the calendar may be closed on this day.
   */
  readonly nominal: number;
  readonly offset: number;
  readonly instant: number;
  /** True if the clock repeats an hour, and this firing is in the second of the two hours. */
  readonly isSecond: boolean;
}

export function nextFirings(timetable: Timetable, after: number, count: number): Firing[] {
  const found: Firing[] = [];
  for (const firing of firingsAfter(timetable, after)) {
    if (found.length === count) break;
    found.push(firing);
  }
  return found;
}

/** The last firing in (from, to]. Searches the last day first, because (from, to] can hold many firings. */
export function lastFiringBetween(
  timetable: Timetable,
  from: number,
  to: number,
  days = 1,
): Firing | undefined {
  const begins = Math.max(from, to - days * DAY);
  let last: Firing | undefined;
  for (const firing of firingsAfter(timetable, begins)) {
    if (firing.instant > to) break;
    last = firing;
  }
  return last ?? (begins > from ? lastFiringBetween(timetable, from, to, 32 * days) : undefined);
}

/**
 * The values that templates can use: the nominal date, time, week (ISO 8601) and month. The time is HHMM, or
 * HHMMb if `isSecond`.
 */
export function labelsOf({ nominal, isSecond }: Firing): Record<'date' | 'time' | 'week' | 'month', string> {
  const text = new Date(nominal).toISOString();
  const date = text.slice(0, 10);
  const time = `${text.slice(11, 13)}${text.slice(14, 16)}${isSecond ? 'b' : ''}`;
  return { date, time, week: weekOf(Math.floor(nominal / DAY)), month: date.slice(0, 7) };
}

/** The ISO 8601 week of a day, such as 2026-W48. A week belongs to the year of its Thursday. */
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

// A time in milliseconds that is longer than any gap between two firings.
const LONGEST = 9 * 366 * DAY;

/** The firings from an instant on, without a calendar. */
function* plainFirings({ cron, zone }: Timetable, from: number): Generator<Firing, void> {
  let last = from;
  for (let at = from; at < last + LONGEST;) {
    const { from: begins, to, offset } = periodAt(zone, at);
    const before = periodAt(zone, begins - 1);
    // The local times just before and just after the offset changes.
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

/**
 * Moves firings from closed days to the next open day. If a moved firing would fall on another firing, the
 * moved one is left out.
 */
function* onOpenDays(timetable: Timetable, calendar: Calendar, after: number): Generator<Firing> {
  const { zone } = timetable;
  let target: number | undefined = -Infinity;
  let group = new Map<number, Firing>();
  let closed = new Set<number>();
  let firings = plainFirings(timetable, instantOf(zone, firstMovedDay(calendar, zone, after) * DAY));
  for (let next = firings.next(); next.done !== true; next = firings.next()) {
    const firing = next.value;
    const day = Math.floor(firing.nominal / DAY);
    if (day > target) {
      yield* [...group.values()].sort((one, other) => one.instant - other.instant);
      group = new Map();
      closed = new Set();
      target = nextOpenDay(calendar, day);
      if (target === undefined) return;
    }
    const isMoved = day !== target;
    // A cron expression has the same times on each of its days. The first two closed days therefore give all
    // moved firings, and later closed days are left out. One closed day is not enough, because the clock may
    // skip some times on that day.
    if (isMoved && closed.add(day).size > 2) {
      firings = plainFirings(timetable, instantOf(zone, target * DAY));
      continue;
    }
    const instant = isMoved ? instantOf(zone, firing.nominal + (target - day) * DAY) : firing.instant;
    if (!isMoved || !group.has(instant)) group.set(instant, { ...firing, instant });
  }
}

/**
 * The last open day before the day of this instant; the day 366 days back if no day since then is open. A
 * firing on an earlier day cannot move past this open day.
 */
function firstMovedDay(calendar: Calendar, zone: Zone, after: number): number {
  const today = Math.floor((after + periodAt(zone, after).offset) / DAY);
  for (let day = today - 1; day > today - 366; day -= 1)
    if (closingOf(calendar, day) !== undefined) return day;
  return today - 366;
}
