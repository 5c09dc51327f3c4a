import { type Calendar } from './calendar.js';
import { type Duration, durationText, needsHours } from './duration.js';
import { type CalendarSource, parseCalendar } from './parse-calendar.js';
import { addTo } from './working-time.js';
import { DAY } from './zone.js';

/** The most days by which a definition may have working time counted. */
const MOST_DAYS = 10_000;
const FROM = Date.UTC(2026, 0);

/** The fault of a duration that takes more than 10,000 days of a calendar; undefined if it takes no more. */
export function tooManyDays(source: CalendarSource | undefined, duration: Duration): string | undefined {
  const calendar = source && needsHours(duration) ? calendarOf(source) : undefined;
  if (!calendar || addTo(calendar, FROM, duration) <= FROM + MOST_DAYS * DAY) return undefined;
  return `takes more than ${MOST_DAYS.toLocaleString('en')} days by the calendar ${calendar.id}: ${durationText(duration)}`;
}

/** Many durations of a definition are counted by one calendar. */
function calendarOf(source: CalendarSource): Calendar | undefined {
  if (!compiled.has(source)) compiled.set(source, parseCalendar(source).value);
  return compiled.get(source);
}

const compiled = new WeakMap<CalendarSource, Calendar | undefined>();
