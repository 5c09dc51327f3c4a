import { Environment } from '@marcbachmann/cel-js';
import { Decimal } from 'decimal.js';
import { startOfDay } from '../lib/calendar.js';
import { registerAggregates } from './aggregates.js';
import { decimal, registerDecimals } from './decimal.js';
import { registerMatches } from './matches.js';
import { registerSearches } from './searches.js';
import { ExpressionError } from './expression-error.js';
import { pay } from './allowance.js';

/** What a user's text is parsed with: narrower than the library's own limits, which guarded text must fit. */
export const userLimits = { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500 };

/** The variables and functions that a guarded expression (see guard.ts) may use. */
export const environment = new Environment({ homogeneousAggregateLiterals: false });

registerDecimals(environment);
registerSearches(environment);
registerMatches(environment);
registerAggregates(environment);
environment
  .registerVariable('task', 'map<string, dyn>')
  .registerVariable('performer', 'dyn')
  .registerVariable('linked', 'dyn')
  .registerVariable('before', 'dyn')
  .registerVariable('__facts', 'map<string, dyn>')
  .registerVariable('__today', 'string')
  .registerVariable('__now', 'string')
  .registerVariable('__overdue', 'list<string>')
  .registerFunction('__field(dyn, string): dyn', fieldOf, { async: false })
  .registerFunction('charged(A): A', charged, { async: false })
  .registerFunction('walked(A, int): A', walked, { async: false })
  .registerFunction('add_days(string, int): string', addWholeDays, { async: false })
  .registerFunction('add_days(string, decimal): string', addWholeDays, { async: false })
  .registerFunction('days_between(string, string): decimal', daysBetween, { async: false });

/** A field of a linked task; null where there is no task. */
function fieldOf(task: unknown, name: string): unknown {
  return task instanceof Map ? task.get(name) : null;
}

function addWholeDays(date: string, days: bigint | Decimal): string {
  return addDays(date, Number(days));
}

const DAY_MS = 86_400_000;
// Days from 0001-01-01 to 9999-12-31.
const MAX_SPAN_DAYS = 3_652_058;

/** The date so many days later (or earlier), within the years 0001 to 9999. */
export function addDays(date: string, days: number): string {
  if (!Number.isInteger(days) || Math.abs(days) > MAX_SPAN_DAYS) {
    throw new ExpressionError('add_days() takes a whole number of days');
  }
  const start = startOfDay(date);
  if (!start) throw new ExpressionError('add_days() takes a date in YYYY-MM-DD format');
  const later = new Date(start.getTime() + days * DAY_MS);
  const year = later.getUTCFullYear();
  if (year < 1 || year > 9999) throw new ExpressionError('add_days() leaves the years 0001 to 9999');
  return later.toISOString().slice(0, 10);
}

/** How many days it is from one date to another; below 0 where that is earlier. */
function daysBetween(from: string, to: string): Decimal {
  const [start, end] = [from, to].map(startOfDay);
  if (!start || !end) throw new ExpressionError('days_between() takes two dates in YYYY-MM-DD format');
  return decimal(BigInt((end.getTime() - start.getTime()) / DAY_MS));
}

/** Returns the value after it was paid for by its size: a list that holds itself many times over is never walked to its end. */
function charged<T>(value: T): T {
  payFor(value);
  return value;
}

/** A list that a macro is about to walk: its items times the cost of its body are paid for before it begins, errors included. */
function walked<T>(value: T, bodyUnits: bigint): T {
  pay(parts(value).length * Number(bodyUnits));
  return value;
}

function payFor(value: unknown): void {
  pay(price(value));
  for (const part of parts(value)) payFor(part);
}

function price(value: unknown): number {
  return typeof value === 'string' ? 2 + value.length / 64 : 2;
}

function parts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null && !(value instanceof Decimal)
    ? Object.values(value)
    : [];
}
