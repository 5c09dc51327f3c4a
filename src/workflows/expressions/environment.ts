import { Environment } from '@marcbachmann/cel-js';
import { Decimal } from 'decimal.js';
import { isWrittenAsDay, startOfDay } from '../../common/calendar.js';
import { decimal, registerDecimals } from './decimal.js';
import { ExpressionError } from './expression-error.js';
import { factNames } from './scope.js';
import { registerOwnFunctions } from './own-functions.js';
import { checkTime } from './time-allowed.js';

/** The limits for a user's text. `guard` rewrites this text; the result has the library's higher limits. */
export const userLimits = { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500 };

/** The variables and functions that an expression can use after `guard` has rewritten it. */
export const environment = new Environment({ homogeneousAggregateLiterals: false });

for (const fact of factNames) environment.registerVariable(fact, 'dyn');
registerDecimals(environment);
registerOwnFunctions(environment);
environment
  .registerVariable('task', 'map<string, dyn>')
  .registerVariable('performer', 'dyn')
  .registerVariable('linked', 'dyn')
  .registerVariable('before', 'dyn')
  .registerVariable('__today', 'string')
  .registerVariable('__now', 'string')
  .registerVariable('__overdue', 'list<string>')
  .registerFunction('dyn.__field(string): dyn', fieldOf, { async: false })
  .registerFunction('dyn.__looped(): dyn', looped, { async: false })
  .registerFunction('add_days(string, int): string', addWholeDays, { async: false })
  .registerFunction('add_days(string, decimal): string', addWholeDays, { async: false })
  .registerFunction('days_between(string, string): decimal', daysBetween, { async: false });

/** A field of a linked task; null if no task is linked. */
function fieldOf(task: unknown, name: string): unknown {
  return task instanceof Map ? task.get(name) : null;
}

function addWholeDays(date: string, days: bigint | Decimal): string {
  return addDays(date, Number(days));
}

const DAY_MS = 86_400_000;
// The number of days from 0001-01-01 to 9999-12-31.
const MAX_SPAN_DAYS = 3_652_058;

/**
 * Adds a number of days, which may be negative, to a date. Throws if the result is outside the years 0001 to
 * 9999.
 */
export function addDays(date: string, days: number): string {
  if (!Number.isInteger(days) || Math.abs(days) > MAX_SPAN_DAYS) {
    throw new ExpressionError('add_days() takes a whole number of at most 3,652,058 days');
  }
  const start = startOfDay(date);
  if (!start) throw new ExpressionError(`add_days() takes a date${noDate(date)}`);
  const later = new Date(start.getTime() + days * DAY_MS);
  const year = later.getUTCFullYear();
  if (year < 1 || year > 9999)
    throw new ExpressionError('the result of add_days() is outside the years 0001 to 9999');
  return later.toISOString().slice(0, 10);
}

const noDate = (text: string): string =>
  isWrittenAsDay(text) ? `: there is no such day as ${text}` : ' in YYYY-MM-DD format';

/** The number of days from one date to another; negative if the second date is earlier. */
function daysBetween(from: string, to: string): Decimal {
  const [start, end] = [from, to].map(startOfDay);
  if (!start || !end) throw new ExpressionError(`days_between() takes two dates${noDate(start ? to : from)}`);
  return decimal(BigInt((end.getTime() - start.getTime()) / DAY_MS));
}

const MAX_MEMBERS = 1_000;

/** Returns the value that a loop goes through. Throws for a number, and for a list that is too long. */
function looped<T>(value: T): T {
  checkTime();
  if (value instanceof Decimal) throw new ExpressionError('a number has no members to go through');
  if (Array.isArray(value) && value.length > MAX_MEMBERS)
    throw new ExpressionError('a loop goes through at most 1,000 members');
  return value;
}
