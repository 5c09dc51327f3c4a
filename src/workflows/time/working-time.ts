import { LRUCache } from 'lru-cache';
import { type Calendar, closingOf, openTimes } from './calendar.js';
import { type Duration, type Measure, type Quantity, quantityOf } from './duration.js';
import { beginningOfDay, DAY, dayAt, instantOf, localAt } from './zone.js';

/**
 * The maximum number of days over which working time is counted. A calculated instant that would be further
 * away is moved to this distance.
 */
const HORIZON = 36_525;

/** A period and what it counts for: the open time in it, or the number of working days that close in it. */
interface Counted {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

type WorkingMeasure = Extract<Measure, 'working' | 'working_days'>;

/**
 * Returns what counts in (from, to], in order: the open periods for `working`, and the closings of days for
 * `working_days`.
 */
function* countedIn(
  calendar: Calendar,
  measure: WorkingMeasure,
  from: number,
  to: number,
): Generator<Counted> {
  if (measure === 'working') {
    for (const open of openTimes(calendar, from, to)) yield { ...open, amount: open.to - open.from };
    return;
  }
  // Hours that began on the previous day may close after `from`.
  for (let day = dayAt(calendar.zone, from) - 1; day <= dayAt(calendar.zone, to); day += 1) {
    const closing = closingOf(calendar, day);
    if (closing !== undefined && closing > from && closing <= to)
      yield { from: closing, to: closing, amount: 1 };
  }
}

const total = (counted: Iterable<Counted>): number => {
  let sum = 0;
  for (const { amount } of counted) sum += amount;
  return sum;
};

/**
 * Splits a period into blocks of 32 days. Caches the amounts of whole blocks, so that counting years takes
 * few steps.
 */
function* blocksBetween(
  calendar: Calendar,
  measure: WorkingMeasure,
  from: number,
  to: number,
): Generator<Counted> {
  const known = sums.get(calendar) ?? new LRUCache<string, number>({ max: MOST_SUMS });
  sums.set(calendar, known);
  for (let at = from; at < to;) {
    const first = Math.floor(at / BLOCK) * BLOCK;
    const until = Math.min(first + BLOCK, to);
    const name = `${measure} ${at} ${until}`;
    const amount = known.get(name) ?? total(countedIn(calendar, measure, at, until));
    if (until - at === BLOCK) known.set(name, amount);
    yield { from: at, to: until, amount };
    at = until;
  }
}

const BLOCK = 32 * DAY;
const sums = new WeakMap<Calendar, LRUCache<string, number>>();
const MOST_SUMS = 5000;

/**
 * The instant at which counting from `from` reaches an amount. If counting does not reach the amount by `to`,
 * returns `to`.
 */
function whenCounted(
  calendar: Calendar,
  measure: WorkingMeasure,
  from: number,
  to: number,
  amount: number,
): number {
  let left = amount;
  for (const block of blocksBetween(calendar, measure, from, to)) {
    if (block.amount >= left)
      for (const counted of countedIn(calendar, measure, block.from, block.to)) {
        if (left <= counted.amount) return Math.min(counted.from + left, counted.to);
        left -= counted.amount;
      }
    else left -= block.amount;
  }
  return to;
}

/**
 * The day to which an instant belongs. It is the previous day if the hours of that day last past midnight and
 * have not ended yet.
 */
export function workingDayAt(calendar: Calendar, instant: number): number {
  const today = dayAt(calendar.zone, instant);
  const closing = closingOf(calendar, today - 1);
  return closing !== undefined && instant < closing ? today - 1 : today;
}

/**
 * How much passes between two instants by this measure. Working days count only if they come after the day
 * `after`.
 */
export function amountBetween(
  calendar: Calendar,
  measure: Measure,
  from: number,
  to: number,
  after = workingDayAt(calendar, from),
): number {
  if (measure === 'elapsed') return to - from;
  if (measure === 'wall') return localAt(calendar.zone, to) - localAt(calendar.zone, from);
  const begins = Math.max(beginOf(calendar, measure, from, after), to - HORIZON * DAY);
  return total(blocksBetween(calendar, measure, begins, to));
}

/** The instant at which counting begins. Working days count only if they come after the day `after`. */
function beginOf(calendar: Calendar, measure: WorkingMeasure, from: number, after: number): number {
  if (measure === 'working') return from;
  return Math.max(from, lastClosing(calendar, after));
}

/**
 * The instant at which this day closes. If this day has no hours, the closing of the day before. If both days
 * have no hours, the beginning of this day.
 */
function lastClosing(calendar: Calendar, day: number): number {
  return closingOf(calendar, day) ?? closingOf(calendar, day - 1) ?? beginningOfDay(calendar.zone, day);
}

/** Adds a quantity to `from`. Working days count only if they come after the day `after`. */
export function advance(
  calendar: Calendar,
  from: number,
  { measure, amount }: Quantity,
  after = workingDayAt(calendar, from),
): number {
  if (measure === 'elapsed') return from + amount;
  if (measure === 'wall') return instantOf(calendar.zone, localAt(calendar.zone, from) + amount);
  if (amount <= 0) return from;
  const horizon = from + HORIZON * DAY;
  return whenCounted(calendar, measure, beginOf(calendar, measure, from, after), horizon, amount);
}

/**
 * Subtracts a quantity from `to`. If several instants fit, returns the latest. For example, four working
 * hours before noon is the opening at eight, not the closing of the previous day. For n working days, returns
 * the closing of the n-th working day before the day of `to`.
 */
export function retreat(calendar: Calendar, to: number, { measure, amount }: Quantity): number {
  if (measure === 'elapsed') return to - amount;
  if (measure === 'wall') return instantOf(calendar.zone, localAt(calendar.zone, to) - amount);
  const until = measure === 'working' ? to : lastClosing(calendar, workingDayAt(calendar, to - 1) - 1);
  const counted = (reach: number): number => total(blocksBetween(calendar, measure, until - reach, until));
  let reach = 2 * BLOCK;
  while (counted(reach) < amount && reach < HORIZON * DAY) reach *= 2;
  const left = counted(reach) - amount;
  if (left < 0) return to - HORIZON * DAY;
  const next = whenCounted(calendar, measure, until - reach, until, left + 1);
  return Math.max(measure === 'working' ? next - 1 : next, to - HORIZON * DAY);
}

/** Adds a duration to `instant`. A negative amount leads to an earlier instant. */
export function addTo(calendar: Calendar, instant: number, { amount, unit }: Duration): number {
  const quantity = quantityOf({ amount: Math.abs(amount), unit });
  return amount < 0 ? retreat(calendar, instant, quantity) : advance(calendar, instant, quantity);
}
