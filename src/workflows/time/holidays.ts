import { startOfDay } from '../../common/calendar.js';
import { excerpt } from '../../common/wording.js';
import { type Parsed, refused } from './parsed.js';
import { DAY } from './zone.js';

/** A holiday as written, and its day in a given year, if it has one. */
export interface Holiday {
  readonly name: string;
  readonly dayIn: (year: number) => number | undefined;
}

// Keeps the holiday in the same year as Easter.
const EARLIEST = -80;
const LATEST = 250;

/** Parses a holiday: `12-25` of every year, `2026-06-05`, or `easter+1` (Easter Monday). */
export function parseHoliday(name: string): Parsed<Holiday> {
  const [, sign, digits] = /^easter(?:([+-])(\d{1,3}))?$/.exec(name) ?? [];
  if (name === 'easter' || sign !== undefined) return movable(name, Number(`${sign ?? ''}${digits ?? 0}`));
  // 2000 has a 29 February.
  const dated = /^\d\d-\d\d$/.test(name) ? `2000-${name}` : name;
  if (!startOfDay(dated))
    return refused(`is not a holiday such as 12-25 (every year), 2026-06-05 or easter+1: ${excerpt(name)}`);
  if (dated !== name) return { value: { name, dayIn: (year) => dayOf(year, name) } };
  const once = Number(name.slice(0, 4));
  return { value: { name, dayIn: (year) => (year === once ? dayOf(year, name.slice(5)) : undefined) } };
}

function movable(name: string, after: number): Parsed<Holiday> {
  if (after < EARLIEST || after > LATEST)
    return refused(`is more than ${-EARLIEST} days before Easter, or ${LATEST} after it`);
  return { value: { name, dayIn: (year) => easterOf(year) + after } };
}

function dayOf(year: number, monthAndDay: string): number | undefined {
  const start = startOfDay(`${String(year).padStart(4, '0')}-${monthAndDay}`);
  return start && start.getTime() / DAY;
}

/** Easter Sunday of a year, by the rule of Gauss in the form of Meeus, Jones and Butcher. */
export function easterOf(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const rest = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const moon = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - moon - (rest % 4)) % 7;
  const late = Math.floor((golden + 11 * moon + 22 * weekday) / 451);
  // Days from 1 March on.
  const days = moon + weekday - 7 * late + 21;
  return new Date(0).setUTCFullYear(year, 2, days + 1) / DAY;
}

/** The holidays of a year by their days; if two share a day, the first one written. */
export function holidaysOf(holidays: readonly Holiday[], year: number): ReadonlyMap<number, string> {
  const named = new Map<number, string>();
  for (const { name, dayIn } of holidays) {
    const day = dayIn(year);
    if (day !== undefined && !named.has(day)) named.set(day, name);
  }
  return named;
}
