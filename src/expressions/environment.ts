import { Environment } from '@marcbachmann/cel-js';
import { type Decimal } from 'decimal.js';
import { registerDecimals } from './decimal.js';
import { registerSearches } from './searches.js';
import { charged, walked } from './charge.js';
import { ExpressionError } from './expression-error.js';

/** What a user's text is parsed with: narrower than the library's own limits, which guarded text must fit. */
export const userLimits = { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500 };

/** The variables and functions that a guarded expression (see guard.ts) may use. */
export const environment = new Environment({ homogeneousAggregateLiterals: false });

registerDecimals(environment);
registerSearches(environment);
environment
  .registerVariable('task', 'map<string, dyn>')
  .registerVariable('performer', 'dyn')
  .registerVariable('__today', 'string')
  .registerFunction('charged(A): A', charged, { async: false })
  .registerFunction('walked(A, int): A', walked, { async: false })
  .registerFunction('add_days(string, int): string', addWholeDays, { async: false })
  .registerFunction('add_days(string, decimal): string', addWholeDays, { async: false });

function addWholeDays(date: string, days: bigint | Decimal): string {
  return addDays(date, Number(days));
}

const dayPattern = /^\d{4}-\d\d-\d\d$/;
const millisecondsPerDay = 86_400_000;
// Days from 0001-01-01 to 9999-12-31.
const longestSpan = 3_652_058;

/** Today's date in a time zone, as YYYY-MM-DD. */
export function todayIn(timezone: string, now: Date): string {
  // A day begins at a whole minute, in all zones since 1972.
  const minute = Math.floor(now.getTime() / 60_000);
  const last = days.get(timezone);
  if (last?.minute === minute) return last.date;
  const date = dateIn(timezone, now);
  days.set(timezone, { minute, date });
  return date;
}

// Of the few hundred zones that there are; to make a format anew each time would take as long as a hundred uses.
const days = new Map<string, { readonly minute: number; readonly date: string }>();

function dateIn(timeZone: string, now: Date): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${parts.get('year')?.padStart(4, '0') ?? ''}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
}

/** The date so many days later (or earlier), within the years 0001 to 9999. */
export function addDays(date: string, days: number): string {
  if (!Number.isInteger(days) || Math.abs(days) > longestSpan) {
    throw new ExpressionError('add_days() takes a whole number of days');
  }
  const later = new Date(startOf(date) + days * millisecondsPerDay);
  const year = later.getUTCFullYear();
  if (year < 1 || year > 9999) throw new ExpressionError('add_days() leaves the years 0001 to 9999');
  return later.toISOString().slice(0, 10);
}

function startOf(date: string): number {
  const start = dayPattern.test(date) ? new Date(`${date}T00:00:00Z`) : undefined;
  // A Date rolls 30 February over to March.
  if (start && !Number.isNaN(start.getTime()) && start.toISOString().startsWith(date)) return start.getTime();
  throw new ExpressionError('add_days() takes a date in YYYY-MM-DD format');
}
