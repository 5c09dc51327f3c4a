import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import { nearest, suggestion } from '../lib/did-you-mean.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * A time zone, by what it adds to UTC. Instants are milliseconds since 1970 in UTC; local times are the milliseconds that
 * would have passed if it were UTC that the clock on the wall shows; days are numbered from 1970-01-01.
 */
export interface Zone {
  readonly name: string;
  readonly years: Map<number, readonly ZonePeriod[]>;
}

/** A time, at most a year, in which the clocks of a zone are not changed. */
export interface ZonePeriod {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

const zones = new LRUCache<string, Zone>({ max: 1000 });

/** What is wrong with the name of a time zone, or nothing. */
export function timezoneFault(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    const place = (zone: string): string => zone.replace(/^.*\//, '');
    const meant = nearest(place(name), Intl.supportedValuesOf('timeZone'), place);
    return `is not a time zone: ${name}${suggestion(meant)}`;
  }
}

/** A time zone that Node.js knows by this name. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const zone = { name, years: new Map<number, readonly ZonePeriod[]>() };
  zones.set(name, zone);
  return zone;
}

/** The period of a zone in which an instant lies. */
export function periodAt(zone: Zone, instant: number): ZonePeriod {
  const year = new Date(instant).getUTCFullYear();
  const periods = zone.years.get(year) ?? keep(zone, year, periodsOf(zone.name, year));
  const found = periods.find(({ to }) => instant < to);
  if (!found) throw new RangeError(`no time of ${zone.name}: ${instant}`);
  return found;
}

// Values of tasks may be in any of ten thousand years.
const MOST_YEARS = 500;

function keep(zone: Zone, year: number, periods: readonly ZonePeriod[]): readonly ZonePeriod[] {
  if (zone.years.size >= MOST_YEARS) zone.years.clear();
  zone.years.set(year, periods);
  return periods;
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

// Date.UTC takes the years 0 to 99 for 1900 to 1999.
function beginningOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/** What the clock on the wall shows at an instant. */
export function localAt(zone: Zone, instant: number): number {
  return instant + periodAt(zone, instant).offset;
}

/** The day on the calendar at an instant. */
export function dayAt(zone: Zone, instant: number): number {
  return Math.floor(localAt(zone, instant) / DAY);
}

/**
 * The instant at which the clock shows a local time: the first of two; where the clock is set forward over it, as much later
 * as it lies behind the change (what Temporal calls `compatible`).
 */
export function instantOf(zone: Zone, local: number): number {
  const before = periodAt(zone, local - DAY).offset;
  const after = periodAt(zone, local + DAY).offset;
  if (before === after || periodAt(zone, local - before).offset === before) return local - before;
  return periodAt(zone, local - after).offset === after ? local - after : local - before;
}

/** The instant at which a day begins: midnight, or the first time of the day where there is no midnight. */
export function beginningOfDay(zone: Zone, day: number): number {
  return instantOf(zone, day * DAY);
}

/** When the clock shows a time from `from` to before `to`: not at all where it is set forward, twice where it is set back. */
export function spansOf(
  zone: Zone,
  from: number,
  to: number,
): { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (let at = from - DAY; at < to + DAY;) {
    const period = periodAt(zone, at);
    const span = {
      from: Math.max(from - period.offset, period.from),
      to: Math.min(to - period.offset, period.to),
    };
    if (span.from < span.to) spans.push(span);
    at = period.to;
  }
  return spans;
}

/** A day as YYYY-MM-DD. */
export function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, -14);
}
