import { type Calendar } from '../../../src/workflows/time/calendar.js';
import { type Duration, type Measure, parseDuration } from '../../../src/workflows/time/duration.js';
import { type CalendarSource, parseCalendar } from '../../../src/workflows/time/parse-calendar.js';
import { type Parsed } from '../../../src/workflows/time/parsed.js';
import { amountBetween } from '../../../src/workflows/time/working-time.js';

/** What was parsed, where nothing is wrong with it. */
export function parsed<T>({ value, refusals }: Parsed<T>): T {
  if (value === undefined) throw new Error(JSON.stringify(refusals));
  return value;
}

export const office: CalendarSource = {
  id: 'office',
  timezone: 'Europe/Berlin',
  hours: { 'mon-thu': ['09:00-12:30', '13:30-17:30'], fri: '09:00-15:00' },
  holidays: ['12-25', '12-26', 'easter+1', '2026-06-05'],
};

export const calendarOf = (source: Partial<CalendarSource> = {}): Calendar =>
  parsed(parseCalendar({ ...office, ...source }));

export const duration = (text: string): Duration => parsed(parseDuration(text));
export const at = (text: string): number => Date.parse(text);
export const iso = (instant: number): string => new Date(instant).toISOString();

/** The amount of a measure between two instants, in milliseconds or whole working days. */
export const timeBetween = (calendar: Calendar, measure: Measure, from: number, to: number): number =>
  from <= to ? amountBetween(calendar, measure, from, to) : -amountBetween(calendar, measure, to, from);
