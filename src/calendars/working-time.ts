import { type Calendar, closingOf, hoursOn } from './calendar.js';
import { type Duration, type Measure, type Quantity, quantityOf } from './duration.js';
import { DAY, dayAt, instantOf, localAt, periodAt } from './zone.js';

/** The limit of all calculations, in days. Anything further away is treated as if it were at this distance. */
const HORIZON = 36_525;

/** An open period, and the day that it belongs to. */
export interface OpenTime {
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

/** The open periods between two instants, in order. */
export function* openTimes(calendar: Calendar, from: number, to: number): Generator<OpenTime> {
  for (let at = from; at < to;) {
    const { offset, to: end } = periodAt(calendar.zone, at);
    const until = Math.min(end, to);
    // A period of the day before may extend past midnight.
    for (let day = Math.floor((at + offset) / DAY) - 1; day * DAY - offset < until; day += 1)
      for (const hours of hoursOn(calendar, day)) {
        const begins = Math.max(day * DAY + hours.from - offset, at);
        const ends = Math.min(day * DAY + hours.to - offset, until);
        if (begins < ends) yield { day, from: begins, to: ends };
      }
    at = until;
  }
}

/** The working day still open at an instant, else the calendar day. A night belongs to the day on which it begins. */
export function workingDayAt(calendar: Calendar, instant: number): number {
  const today = dayAt(calendar.zone, instant);
  const closing = closingOf(calendar, today - 1);
  return closing !== undefined && instant < closing ? today - 1 : today;
}

/** The amount of a measure between two instants. Working days count after day `after`, when they close. */
export function amountBetween(
  calendar: Calendar,
  measure: Measure,
  from: number,
  to: number,
  after = workingDayAt(calendar, from),
): number {
  if (measure === 'elapsed') return to - from;
  if (measure === 'wall') return localAt(calendar.zone, to) - localAt(calendar.zone, from);
  if (measure === 'working') return workingTime(calendar, from, to);
  return workingDays(calendar, from, to, after);
}

function workingTime(calendar: Calendar, from: number, to: number): number {
  let sum = 0;
  for (const open of openTimes(calendar, Math.max(from, to - HORIZON * DAY), to)) sum += open.to - open.from;
  return sum;
}

function workingDays(calendar: Calendar, from: number, to: number, after: number): number {
  const last = dayAt(calendar.zone, to);
  let count = 0;
  for (let day = Math.max(firstToClose(calendar, from, after), last - HORIZON); day <= last; day += 1) {
    const closing = closingOf(calendar, day);
    if (closing !== undefined && closing > from && closing <= to) count += 1;
  }
  return count;
}

// A period that closes after an instant began on the day before at the earliest.
const firstToClose = (calendar: Calendar, from: number, after: number): number =>
  Math.max(after + 1, dayAt(calendar.zone, from) - 1);

/** The instant that is a quantity later. Working days count after day `after`. */
export function advance(
  calendar: Calendar,
  from: number,
  { measure, amount }: Quantity,
  after = workingDayAt(calendar, from),
): number {
  if (measure === 'elapsed') return from + amount;
  if (measure === 'wall') return instantOf(calendar.zone, localAt(calendar.zone, from) + amount);
  if (amount <= 0) return from;
  return measure === 'working'
    ? afterWorkingTime(calendar, from, amount)
    : closingOfNth(calendar, from, amount, after);
}

function afterWorkingTime(calendar: Calendar, from: number, amount: number): number {
  const horizon = from + HORIZON * DAY;
  let left = amount;
  for (const open of openTimes(calendar, from, horizon)) {
    if (left <= open.to - open.from) return open.from + left;
    left -= open.to - open.from;
  }
  return horizon;
}

function closingOfNth(calendar: Calendar, from: number, count: number, after: number): number {
  const first = firstToClose(calendar, from, after);
  let left = count;
  for (let day = first; day < first + HORIZON; day += 1) {
    const closing = closingOf(calendar, day);
    if (closing === undefined || closing <= from) continue;
    left -= 1;
    if (left === 0) return closing;
  }
  return from + HORIZON * DAY;
}

/**
 * The instant that is a quantity earlier. For working time the latest such instant: four hours before noon is the
 * opening at eight, not the closing before it. For working days the closing of the n-th working day before.
 */
export function retreat(calendar: Calendar, to: number, { measure, amount }: Quantity): number {
  if (measure === 'elapsed') return to - amount;
  if (measure === 'wall') return instantOf(calendar.zone, localAt(calendar.zone, to) - amount);
  return measure === 'working'
    ? beforeWorkingTime(calendar, to, amount)
    : closingOfNthBefore(calendar, to, amount);
}

function beforeWorkingTime(calendar: Calendar, to: number, amount: number): number {
  let reach = 4 * amount + 7 * DAY;
  while (workingTime(calendar, to - reach, to) < amount && reach < HORIZON * DAY) reach *= 2;
  let left = workingTime(calendar, to - reach, to) - amount;
  for (const open of openTimes(calendar, to - reach, to)) {
    if (left < open.to - open.from) return open.from + Math.max(left, 0);
    left -= open.to - open.from;
  }
  return to;
}

function closingOfNthBefore(calendar: Calendar, to: number, count: number): number {
  // A closing belongs to the day that ends with it.
  const last = workingDayAt(calendar, to - 1);
  let left = count;
  for (let day = last - 1; day > last - HORIZON; day -= 1) {
    const closing = closingOf(calendar, day);
    if (closing === undefined) continue;
    left -= 1;
    if (left === 0) return closing;
  }
  return to - HORIZON * DAY;
}

/** The instant that is a duration later, or earlier if the amount is negative. */
export function addTo(calendar: Calendar, instant: number, { amount, unit }: Duration): number {
  const quantity = quantityOf({ amount: Math.abs(amount), unit });
  return amount < 0 ? retreat(calendar, instant, quantity) : advance(calendar, instant, quantity);
}

/** The amount of a measure between two instants, in milliseconds or whole working days. */
export function timeBetween(calendar: Calendar, measure: Measure, from: number, to: number): number {
  return from <= to
    ? amountBetween(calendar, measure, from, to)
    : -amountBetween(calendar, measure, to, from);
}
