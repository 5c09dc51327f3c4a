import { didYouMean } from '../../common/did-you-mean.js';
import { excerpt } from '../../common/wording.js';
import {
  type Calendar,
  holidaysByYear,
  nextOpenDay,
  type OpenHours,
  type Holiday,
  parseHoliday,
} from './calendar.js';
import { type Parsed, type PlacedFault, refused, within } from './parsed.js';
import { DAY, HOUR, MINUTE, timezoneFault, zoneOf } from './zone.js';
import { type Duration, durationText, needsHours } from './duration.js';
import { addTo } from './working-time.js';

export interface CalendarSource {
  readonly id: string;
  readonly timezone: string;
  readonly hours: Readonly<Record<string, string | readonly string[]>>;
  readonly holidays?: readonly string[] | undefined;
}

/** The maximum number of ranges of hours in a day. */
const MOST_RANGES = 20;

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Compiles a calendar; returns all its faults if it has any. */
export function parseCalendar({ id, timezone, hours, holidays = [] }: CalendarSource): Parsed<Calendar> {
  const fault = timezoneFault(timezone);
  const { week, refusals: ofHours } = parseWeek(hours);
  const { known, refusals: ofHolidays } = parseHolidays(holidays);
  const refusals = [
    ...(fault === undefined ? [] : [{ path: ['timezone'], message: fault }]),
    ...within(['hours'], ofHours),
    ...within(['holidays'], ofHolidays),
  ];
  if (refusals.length > 0) return { refusals };
  const holidaysIn = holidaysByYear(known);
  const value = { id, zone: zoneOf(timezone), week, holidays: known, holidaysIn };
  // The holidays must leave a day open.
  const isOpen = nextOpenDay(value, Math.floor(Date.UTC(2000, 0) / DAY)) !== undefined;
  return isOpen ? { value } : { refusals: within(['holidays'], refused('leave no day open').refusals) };
}

interface PlacedHours extends OpenHours {
  readonly path: PlacedFault['path'];
}

function parseWeek(source: CalendarSource['hours']): { week: PlacedHours[][]; refusals: PlacedFault[] } {
  const week: PlacedHours[][] = days.map(() => []);
  const named = new Set<number>();
  const refusals: PlacedFault[] = [];
  for (const [key, written] of Object.entries(source)) {
    const { value: on = [], refusals: ofDays } = parseDays(key);
    const twice = on.filter((day) => named.has(day)).map((day) => days[day]);
    if (twice.length > 0) refusals.push({ path: [key], message: `names ${twice.join(', ')} twice` });
    on.forEach((day) => named.add(day));
    const all = typeof written === 'string' ? [written] : written;
    const parsed = all.map((text, at) => ({ path: typeof written === 'string' ? [key] : [key, at], text }));
    refusals.push(...within([key], ofDays));
    if (all.length > MOST_RANGES) {
      refusals.push({ path: [key], message: `has more than ${MOST_RANGES} ranges: ${all.length}` });
      continue;
    }
    for (const { path, text } of parsed) {
      const { value, refusals: ofText } = parseHours(text);
      refusals.push(...within(path, ofText));
      if (value) for (const day of on) week[day]?.push({ ...value, path });
    }
  }
  for (const hours of week) hours.sort((one, other) => one.from - other.from);
  const isEmpty = refusals.length === 0 && week.every((hours) => hours.length === 0);
  const none = isEmpty ? refused('are empty: a week needs open hours').refusals : [];
  return { week, refusals: [...refusals, ...overlaps(week), ...none] };
}

/** Parses a day or a range of days: `fri`, `mon-thu` or `sat-mon`. */
function parseDays(key: string): Parsed<number[]> {
  const [first = '', last = first, ...more] = key.split('-');
  const unknown = [first, last].find((name) => !days.includes(name));
  if (unknown !== undefined || more.length > 0)
    return refused(
      `is not a day or range of days such as mon or mon-thu: ${excerpt(key)}${didYouMean(unknown ?? '', days)}`,
    );
  const from = days.indexOf(first);
  const count = ((days.indexOf(last) - from + 7) % 7) + 1;
  return { value: Array.from({ length: count }, (_, at) => (from + at) % 7) };
}

/** Parses hours such as 09:00-12:30, or 22:00-06:00, which end on the next day. */
function parseHours(text: string): Parsed<OpenHours> {
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d|24:00)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    return refused(`are not hours such as 09:00-17:30: ${excerpt(text)}`);
  const [start, end] = [timeOfDay(from), timeOfDay(to)];
  if (start < end) return { value: { from: start, to: end, text } };
  // A night shift begins in the afternoon and ends in the morning; anything else is probably a mistake.
  if (start < 12 * HOUR || end > 12 * HOUR)
    return refused(
      `do not end after they begin: ${text}; hours past midnight must begin at noon or later and end by noon`,
    );
  return { value: { from: start, to: end + DAY, text } };
}

/** Converts HH:MM to milliseconds since midnight. */
export function timeOfDay(text: string): number {
  return Number(text.slice(0, 2)) * HOUR + Number(text.slice(3)) * MINUTE;
}

function overlaps(week: readonly (readonly PlacedHours[])[]): PlacedFault[] {
  const all = week.flatMap((hours, day) =>
    hours.map((each) => ({ ...each, from: each.from + day * DAY, to: each.to + day * DAY })),
  );
  const [first] = all;
  // If the same hours apply to several days, a fault in them is reported once.
  const found = new Map<string, PlacedFault>();
  let last = first;
  for (const next of first ? [...all.slice(1), { ...first, from: first.from + 7 * DAY }] : []) {
    const message = `overlap with ${last?.text ?? ''}: ${next.text}`;
    if (last && next.from < last.to)
      found.set(JSON.stringify([next.path, message]), { path: next.path, message });
    if (!last || next.to > last.to) last = next;
  }
  return [...found.values()];
}

function parseHolidays(source: readonly string[]): { known: Holiday[]; refusals: PlacedFault[] } {
  const parsed = source.map((text) => parseHoliday(text));
  return {
    known: parsed.flatMap(({ value }) => value ?? []),
    refusals: parsed.flatMap(({ refusals }, at) => within([at], refusals)),
  };
}

/** The maximum number of calendar days over which a definition may count working time. */
const MOST_DAYS = 10_000;
const FROM = Date.UTC(2026, 0);

/** Returns a fault if a duration takes more than 10,000 days by the calendar; otherwise undefined. */
export function tooManyDays(source: CalendarSource | undefined, duration: Duration): string | undefined {
  const calendar = source && needsHours(duration) ? calendarOf(source) : undefined;
  if (!calendar || addTo(calendar, FROM, duration) <= FROM + MOST_DAYS * DAY) return undefined;
  return `takes more than ${MOST_DAYS.toLocaleString('en')} days by the calendar ${calendar.id}: ${durationText(duration)}`;
}

/** Compiles a calendar once, because many durations of a definition use the same one. */
function calendarOf(source: CalendarSource): Calendar | undefined {
  if (!compiled.has(source)) compiled.set(source, parseCalendar(source).value);
  return compiled.get(source);
}

const compiled = new WeakMap<CalendarSource, Calendar | undefined>();
