import { instantOf, localAt, zoneOf } from '../workflows/time/zone.js';

/** An instant as a clock in a time zone shows it, to the minute: `2026-03-31T18:00`. */
export function clockIn(timeZone: string, at: Date): string {
  return isoClock(timeZone, at).slice(0, 16);
}

/** An instant as a clock in a time zone shows it, with its seconds and milliseconds where it has some. */
export function exactClockIn(timeZone: string, at: Date): string {
  return isoClock(timeZone, at)
    .slice(0, 23)
    .replace(/(?::00)?\.000$/, '');
}

const isoClock = (timeZone: string, at: Date): string =>
  new Date(localAt(zoneOf(timeZone), at.getTime())).toISOString();

/** The instant at which a clock in a time zone shows this; a text that is no such time stays as it is. */
export function instantAt(timeZone: string, clock: string): string {
  const isClock = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(clock);
  const local = Date.parse(isClock ? `${clock}Z` : '');
  return Number.isNaN(local) ? clock : new Date(instantOf(zoneOf(timeZone), local)).toISOString();
}
