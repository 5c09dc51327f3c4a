import { type Holiday, holidaysOf } from './holidays.js';
import { DAY, periodAt, spansOf, type Zone, zoneOf } from './zone.js';

/** Opening hours, in milliseconds since midnight. They belong to the day on which they begin. */
export interface OpenHours {
  readonly from: number;
  readonly to: number;
  /** The source text: 09:00-12:30. */
  readonly text: string;
}

/** Working hours in a time zone. */
export interface Calendar {
  readonly id: string;
  readonly zone: Zone;
  /** The hours of each weekday, beginning with Monday, in order and without overlap. */
  readonly week: readonly (readonly OpenHours[])[];
  readonly holidays: readonly Holiday[];
  /** The holidays of the years requested so far. */
  readonly years: Map<number, ReadonlyMap<number, string>>;
}

/** A calendar without hours, for counting days in a zone. */
export function calendarWithoutHours(timezone: string): Calendar {
  return { id: timezone, zone: zoneOf(timezone), week: [], holidays: [], years: new Map() };
}

/** Whether two calendars have the same hours, holidays and zone. */
export function isAlike(one: Calendar, other: Calendar): boolean {
  const counts = ({ zone, week, holidays }: Calendar): string => JSON.stringify([zone.name, week, holidays]);
  return one === other || counts(one) === counts(other);
}

const MOST_YEARS = 200;

/** The holiday on a day, as it is written in the definition. */
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

/** The hours of a day; none on a holiday. */
export function hoursOn(calendar: Calendar, day: number): readonly OpenHours[] {
  // 1970-01-01 was a Thursday.
  const hours = calendar.week[(((day + 3) % 7) + 7) % 7] ?? [];
  return hours.length === 0 || holidayOn(calendar, day) !== undefined ? [] : hours;
}

/** The open periods of a day in local time. A period through midnight belongs to the day before. */
function openOn(calendar: Calendar, day: number): { readonly from: number; readonly to: number }[] {
  return hoursOn(calendar, day).flatMap(({ from, to }) =>
    spansOf(calendar.zone, day * DAY + from, day * DAY + to),
  );
}

/** When a working day ends; undefined if the calendar is closed all day. */
export function closingOf(calendar: Calendar, day: number): number | undefined {
  const last = hoursOn(calendar, day).at(-1);
  if (!last) return undefined;
  const { to, offset } = periodAt(calendar.zone, (day - 1) * DAY);
  if ((day + 3) * DAY <= to) return day * DAY + last.to - offset;
  // The offset of the zone may change on that day.
  const ends = openOn(calendar, day).map((span) => span.to);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** The first open day from this day on; undefined if there is none within three years. */
export function nextOpenDay(calendar: Calendar, from: number): number | undefined {
  for (let day = from; day < from + 3 * 366; day += 1) if (closingOf(calendar, day) !== undefined) return day;
  return undefined;
}
