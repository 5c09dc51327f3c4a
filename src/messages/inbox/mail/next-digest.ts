import { type Calendar, openTimes } from '../../../workflows/time/calendar.js';
import { DAY, dayAt, instantOf, timezoneFault, zoneOf } from '../../../workflows/time/zone.js';

/** The first instant after `now` with this time of day in a zone, in milliseconds since midnight. */
export function nextDigest(now: number, timeOfDay: number, timezone: string): number {
  const zone = zoneOf(timezone);
  const today = dayAt(zone, now);
  const at = (day: number): number => instantOf(zone, day * DAY + timeOfDay);
  return at(today) > now ? at(today) : at(today + 1);
}

/** The time zone of a person: that of their last browser if this process knows it, otherwise the workspace's. */
export function zoneOfPerson(ofBrowser: string | null, ofWorkspace: string): string {
  return ofBrowser === null || timezoneFault(ofBrowser) !== undefined ? ofWorkspace : ofBrowser;
}

/** The first instant from `at` on at which the calendar is open, or `at` itself if that is more than a month away. */
export function nextOpen(calendar: Calendar, at: number): number {
  const [first] = openTimes(calendar, at, at + 31 * DAY);
  return first ? Math.max(first.from, at) : at;
}
