import { LRUCache } from 'lru-cache';
import { DAY, periodAt, type Zone, zoneOf } from './zone.js';
import { startOfDay } from '../../common/calendar.js';
import { excerpt } from '../../common/wording.js';
import { type Parsed, refused } from './parsed.js';

/** Opening hours, in milliseconds since midnight of the day on which they begin. */
export interface OpenHours {
  readonly from: number;
  readonly to: number;
  /** The text from which the hours were parsed, such as 09:00-12:30. */
  readonly text: string;
}

/** Working hours in a time zone. */
export interface Calendar {
  readonly id: string;
  readonly zone: Zone;
  /** The hours of each weekday, beginning with Monday, in order and without overlap. */
  readonly week: readonly (readonly OpenHours[])[];
  readonly holidays: readonly Holiday[];
  /** Returns the holidays of a year. Each is a number of days since 1970-01-01. */
  readonly holidaysIn: (year: number) => ReadonlySet<number>;
}

/** A calendar without opening hours, for counting days in a zone. */
export function calendarWithoutHours(timezone: string): Calendar {
  return { id: timezone, zone: zoneOf(timezone), week: [], holidays: [], holidaysIn: () => new Set() };
}

export function isAlike(one: Calendar, other: Calendar): boolean {
  const counts = ({ zone, week, holidays }: Calendar): string => JSON.stringify([zone.name, week, holidays]);
  return one === other || counts(one) === counts(other);
}

/** The opening hours of a day; none on a holiday. */
function hoursOn(calendar: Calendar, day: number): readonly OpenHours[] {
  // 1970-01-01 was a Thursday.
  const hours = calendar.week[(((day + 3) % 7) + 7) % 7] ?? [];
  return hours.length === 0 || isHoliday(calendar, day) ? [] : hours;
}

function isHoliday({ holidays, holidaysIn }: Calendar, day: number): boolean {
  return holidays.length > 0 && holidaysIn(new Date(day * DAY).getUTCFullYear()).has(day);
}

/** An open period, and the day to which it belongs. */
interface OpenTime {
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

/** The open periods between two instants, in order. */
export function* openTimes(calendar: Calendar, from: number, to: number): Generator<OpenTime> {
  for (let at = from; at < to;) {
    const { offset, to: end } = periodAt(calendar.zone, at);
    const until = Math.min(end, to);
    // Hours of the previous day may last past midnight.
    for (let day = Math.floor((at + offset) / DAY) - 1; day * DAY - offset < until; day += 1)
      for (const hours of hoursOn(calendar, day)) {
        const begins = Math.max(day * DAY + hours.from - offset, at);
        const ends = Math.min(day * DAY + hours.to - offset, until);
        if (begins < ends) yield { day, from: begins, to: ends };
      }
    at = until;
  }
}

/** The instant at which a working day closes; undefined if the calendar is closed all day. */
export function closingOf(calendar: Calendar, day: number): number | undefined {
  const last = hoursOn(calendar, day).at(-1);
  if (!last) return undefined;
  const { to, offset } = periodAt(calendar.zone, (day - 1) * DAY);
  if ((day + 3) * DAY <= to) return day * DAY + last.to - offset;
  // The offset of the zone may change around that day, so the open periods must be computed.
  const near = [...openTimes(calendar, (day - 1) * DAY, (day + 3) * DAY)];
  const ends = near.flatMap((open) => (open.day === day ? open.to : []));
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** The first open day from this day on; undefined if there is none within three years. */
export function nextOpenDay(calendar: Calendar, from: number): number | undefined {
  for (let day = from; day < from + 3 * 366; day += 1) if (closingOf(calendar, day) !== undefined) return day;
  return undefined;
}

/**
 * A holiday. `name` is its text in the definition. `dayIn` returns its day in a year, or undefined if the
 * year has no such day.
 */
export interface Holiday {
  readonly name: string;
  readonly dayIn: (year: number) => number | undefined;
}

// A holiday further from Easter than these numbers of days could fall into another year.
const EARLIEST = -80;
const LATEST = 250;

/** Parses a holiday: `12-25` of every year, `2026-06-05`, or `easter+1` (Easter Monday). */
export function parseHoliday(name: string): Parsed<Holiday> {
  const [, sign, digits] = /^easter(?:([+-])(\d{1,3}))?$/.exec(name) ?? [];
  if (name === 'easter' || sign !== undefined) return movable(name, Number(`${sign ?? ''}${digits ?? 0}`));
  // The year 2000 makes 02-29 valid, because it is a leap year.
  const dated = /^\d\d-\d\d$/.test(name) ? `2000-${name}` : name;
  if (!startOfDay(dated))
    return refused(`is not a holiday such as 12-25 (every year), 2026-06-05 or easter+1: ${excerpt(name)}`);
  if (dated !== name) return { value: { name, dayIn: (year) => dayOf(year, name) } };
  const once = Number(name.slice(0, 4));
  return { value: { name, dayIn: (year) => (year === once ? dayOf(year, name.slice(5)) : undefined) } };
}

function movable(name: string, after: number): Parsed<Holiday> {
  if (after < EARLIEST || after > LATEST)
    return refused(`is more than ${-EARLIEST} days before or more than ${LATEST} days after Easter`);
  return { value: { name, dayIn: (year) => easterOf(year) + after } };
}

function dayOf(year: number, monthAndDay: string): number | undefined {
  const start = startOfDay(`${String(year).padStart(4, '0')}-${monthAndDay}`);
  return start && start.getTime() / DAY;
}

/** Easter Sunday of a year, by the Gregorian algorithm of Meeus, Jones and Butcher. */
export function easterOf(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const rest = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const moon = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - moon - (rest % 4)) % 7;
  const late = Math.floor((golden + 11 * moon + 22 * weekday) / 451);
  // The number of days after 1 March.
  const days = moon + weekday - 7 * late + 21;
  return new Date(0).setUTCFullYear(year, 2, days + 1) / DAY;
}

/** Makes a function that returns the holidays of a year, computed on first use. */
export function holidaysByYear(holidays: readonly Holiday[]): Calendar['holidaysIn'] {
  const years = new LRUCache<number, ReadonlySet<number>>({
    max: 200,
    memoMethod: (year) => new Set(holidays.flatMap(({ dayIn }) => dayIn(year) ?? [])),
  });
  return (year) => years.memo(year);
}
