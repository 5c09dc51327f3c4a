import { DAY, dayAt, HOUR, instantOf, timezoneFault, zoneOf } from '../../../workflows/time/zone.js';

/** The local time at which digests are sent, in milliseconds: 08:00. */
const TIME_OF_DAY = 8 * HOUR;

/** The first instant after `now` at which digests are sent in a time zone. */
export function nextDigest(now: Date, timezone: string): Date {
  const zone = zoneOf(timezone);
  const today = dayAt(zone, now.getTime());
  const at = (day: number): number => instantOf(zone, day * DAY + TIME_OF_DAY);
  return new Date(at(today) > now.getTime() ? at(today) : at(today + 1));
}

/** The time zone of the user's browser if Node.js knows it; otherwise the time zone of the workspace. */
export function zoneOfPerson(ofBrowser: string | null, ofWorkspace: string): string {
  return ofBrowser === null || timezoneFault(ofBrowser) !== undefined ? ofWorkspace : ofBrowser;
}
