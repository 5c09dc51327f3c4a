import { DAY, dayAt, HOUR, instantOf, zoneOf } from '../../workflows/time/zone.js';
import { startOfDay } from '../../common/calendar.js';

/** When a snooze until tomorrow, Monday or a day ends: at 08:00; undefined if the text is no future day. */
export function snoozedUntil(until: string, timeZone: string, now: Date): Date | undefined {
  const zone = zoneOf(timeZone);
  const today = dayAt(zone, now.getTime());
  const day = dayOf(until, today);
  if (day === undefined || day <= today || day > today + MOST_DAYS) return undefined;
  return new Date(instantOf(zone, day * DAY + 8 * HOUR));
}

const MOST_DAYS = 3660;

function dayOf(until: string, today: number): number | undefined {
  if (until === 'tomorrow') return today + 1;
  // Day 0 was a Thursday.
  if (until === 'monday') return today + 7 - ((today + 3) % 7);
  const start = startOfDay(until);
  return start && start.getTime() / DAY;
}
