import { type Holiday, holidaysOf } from './holidays.js';
import { DAY, periodAt, spansOf, type Zone, zoneOf } from './zone.js';

/** Hours in which a calendar is open, in milliseconds since midnight; those that begin on a day are of that day. */
export interface OpenHours {
  readonly from: number;
  readonly to: number;
  /** As it is written: 09:00-12:30. */
  readonly text: string;
}

/** When work is done, in a time zone. */
export interface Calendar {
  readonly id: string;
  readonly zone: Zone;
  /** The hours of each day, from Monday on, in order and without overlap. */
  readonly week: readonly (readonly OpenHours[])[];
  readonly holidays: readonly Holiday[];
  /** The holidays of years that were asked for. */
  readonly years: Map<number, ReadonlyMap<number, string>>;
}

/** A calendar without hours: for what counts days of a zone, and no work. */
export function calendarWithoutHours(timezone: string): Calendar {
  return { id: timezone, zone: zoneOf(timezone), week: [], holidays: [], years: new Map() };
}

/** Whether two calendars count the same time. */
export function isAlike(one: Calendar, other: Calendar): boolean {
  const counts = ({ zone, week, holidays }: Calendar): string => JSON.stringify([zone.name, week, holidays]);
  return one === other || counts(one) === counts(other);
}

const MOST_YEARS = 200;

/** The holiday that a day is, as it is written. */
export function holidayOn(
  { holidays, years }: Pick<Calendar, 'holidays' | 'years'>,
  day: number,
): string | undefined {
  if (holidays.length === 0) return undefined;
  const year = new Date(day * DAY).getUTCFullYear();
  const known = years.get(year);
  if (known) return known.get(day);
  if (years.size >= MOST_YEARS) years.clear();
  years.set(year, holidaysOf(holidays, year));
  return holidayOn({ holidays, years }, day);
}

/** The hours of a day, of which a holiday has none. */
export function hoursOn(calendar: Calendar, day: number): readonly OpenHours[] {
  // 1970-01-01 was a Thursday.
  const hours = calendar.week[(((day + 3) % 7) + 7) % 7] ?? [];
  return hours.length === 0 || holidayOn(calendar, day) !== undefined ? [] : hours;
}

/** When a calendar is open on a day, by the clock of its zone; what is open through midnight belongs to the day before. */
function openOn(calendar: Calendar, day: number): { readonly from: number; readonly to: number }[] {
  return hoursOn(calendar, day).flatMap(({ from, to }) =>
    spansOf(calendar.zone, day * DAY + from, day * DAY + to),
  );
}

/** When a working day ends; undefined where the calendar is closed all day. */
export function closingOf(calendar: Calendar, day: number): number | undefined {
  const last = hoursOn(calendar, day).at(-1);
  if (!last) return undefined;
  const { to, offset } = periodAt(calendar.zone, (day - 1) * DAY);
  if ((day + 3) * DAY <= to) return day * DAY + last.to - offset;
  // The clock may be changed on that day.
  const ends = openOn(calendar, day).map((span) => span.to);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** The first day from this one on on which a calendar is open; undefined if there is none within three years. */
export function nextOpenDay(calendar: Calendar, from: number): number | undefined {
  for (let day = from; day < from + 3 * 366; day += 1) if (closingOf(calendar, day) !== undefined) return day;
  return undefined;
}
