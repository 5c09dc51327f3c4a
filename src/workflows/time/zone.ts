import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import { nearest, suggestion } from '../../common/did-you-mean.js';
import { english } from '../../common/message.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The first and the last instant that both RFC 3339 and PostgreSQL can represent. */
const EARLIEST = Date.parse('0001-01-01');
export const LATEST = Date.UTC(10_000, 0) - 1;

/** An instant in RFC 3339, moved into the years 1 to 9999 if it is outside them. */
export function instantText(instant: number): string {
  return new Date(Math.min(Math.max(instant, EARLIEST), LATEST)).toISOString();
}

/**
 * A time zone. Instants are milliseconds since 1970 in UTC. A local time is represented by the instant at
 * which a clock in UTC shows that time. Days are numbered from 1970-01-01.
 */
export interface Zone {
  readonly name: string;
  /** The periods of a year. Only 500 years are cached, because values in tasks span ten thousand years. */
  readonly periodsIn: (year: number) => readonly ZonePeriod[];
}

/** A period of at most a year in which the offset from UTC (in milliseconds) stays the same. */
export interface ZonePeriod {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** The fault in the name of a time zone; undefined if the name is valid. */
export function timezoneFault(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    const place = (zone: string): string => zone.replace(/^.*\//, '');
    const meant = nearest(place(name), Intl.supportedValuesOf('timeZone'), place);
    return `is not a time zone: ${name}${english(suggestion(meant))}`;
  }
}

const zones = new LRUCache<string, Zone>({ max: 1000, memoMethod: makeZone });

export const zoneOf = (name: string): Zone => zones.memo(name);

function makeZone(name: string): Zone {
  const years = new LRUCache<number, readonly ZonePeriod[]>({
    max: 500,
    memoMethod: (year) => periodsOf(name, year),
  });
  return { name, periodsIn: (year) => years.memo(year) };
}

export function periodAt(zone: Zone, instant: number): ZonePeriod {
  const periods = zone.periodsIn(new Date(instant).getUTCFullYear());
  const found = periods.find(({ to }) => instant < to);
  if (!found) throw new RangeError(`no time of ${zone.name}: ${instant}`);
  return found;
}

function periodsOf(timezone: string, year: number): ZonePeriod[] {
  const end = beginningOfYear(year + 1);
  const periods: ZonePeriod[] = [];
  let time = Temporal.Instant.fromEpochMilliseconds(beginningOfYear(year)).toZonedDateTimeISO(timezone);
  for (;;) {
    const next = time.getTimeZoneTransition('next');
    const to = Math.min(next?.epochMilliseconds ?? end, end);
    periods.push({ from: time.epochMilliseconds, to, offset: time.offsetNanoseconds / 1e6 });
    if (!next || to === end) return periods;
    time = next;
  }
}

// Date.UTC reads the years 0 to 99 as 1900 to 1999.
function beginningOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

export function localAt(zone: Zone, instant: number): number {
  return instant + periodAt(zone, instant).offset;
}

export function dayAt(zone: Zone, instant: number): number {
  return Math.floor(localAt(zone, instant) / DAY);
}

/**
 * The instant of a local time. If the clock repeats the time, returns the first of the two instants. If the
 * clock skips the time, moves the time forward by the size of the gap (`compatible` in Temporal).
 */
export function instantOf(zone: Zone, local: number): number {
  const before = periodAt(zone, local - DAY).offset;
  const after = periodAt(zone, local + DAY).offset;
  if (before === after || periodAt(zone, local - before).offset === before) return local - before;
  return periodAt(zone, local - after).offset === after ? local - after : local - before;
}

/** The instant at which a day begins: midnight or, if a gap skips midnight, midnight plus the gap. */
export function beginningOfDay(zone: Zone, day: number): number {
  return instantOf(zone, day * DAY);
}

/** The instant of a stored date or time. For a date, `at` is the time of day, from 00:00 to 24:00. */
export function momentOf(zone: Zone, text: string, at = '24:00'): number {
  if (text.includes('T')) return Date.parse(text);
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  return instantOf(zone, Date.parse(text) + hours * HOUR + minutes * MINUTE);
}

/** A day as YYYY-MM-DD. */
export function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, -14);
}
