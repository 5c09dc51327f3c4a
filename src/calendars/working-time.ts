import { type Calendar, closingOf, hoursOn } from './calendar.js';
import { type Duration, type Measure, type Quantity, quantityOf } from './duration.js';
import { DAY, dayAt, instantOf, localAt, periodAt } from './zone.js';

/** How far is counted, in days: what lies further away is taken to be at this distance. */
const HORIZON = 36_525;

/** A time in which a calendar is open, and the day that it belongs to. */
export interface OpenTime {
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

/** When a calendar is open between two instants, in order. */
export function* openTimes(calendar: Calendar, from: number, to: number): Generator<OpenTime> {
  for (let at = from; at < to;) {
    const { offset, to: end } = periodAt(calendar.zone, at);
    const until = Math.min(end, to);
    // What has begun the day before may be open through midnight.
    for (let day = Math.floor((at + offset) / DAY) - 1; day * DAY - offset < until; day += 1)
      for (const hours of hoursOn(calendar, day)) {
        const begins = Math.max(day * DAY + hours.from - offset, at);
        const ends = Math.min(day * DAY + hours.to - offset, until);
        if (begins < ends) yield { day, from: begins, to: ends };
      }
    at = until;
  }
}

/** The working day that has not closed at an instant, else the day on the calendar: a night is of the day on which it begins. */
export function workingDayAt(calendar: Calendar, instant: number): number {
  const today = dayAt(calendar.zone, instant);
  const closing = closingOf(calendar, today - 1);
  return closing !== undefined && instant < closing ? today - 1 : today;
}

/** How much of a measure passes from an instant to a later one. Working days are those after a day, whose closing lies between. */
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

// What closes after an instant has begun the day before at the earliest.
const firstToClose = (calendar: Calendar, from: number, after: number): number =>
  Math.max(after + 1, dayAt(calendar.zone, from) - 1);

/** The instant at which so much has passed from an instant on; of working days those count that come after a day. */
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
 * The instant from which so much passes until another: of working time the latest, so that four hours before noon is an
 * opening at eight rather than the closing before it; of working days the closing of the n-th before the one of that instant.
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
  // An end belongs to the day that ends with it.
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

/** The instant that lies a duration after another, or before it where the amount is negative. */
export function addTo(calendar: Calendar, instant: number, { amount, unit }: Duration): number {
  const quantity = quantityOf({ amount: Math.abs(amount), unit });
  return amount < 0 ? retreat(calendar, instant, quantity) : advance(calendar, instant, quantity);
}

/** How much of a measure lies between two instants: milliseconds, or whole working days. */
export function timeBetween(calendar: Calendar, measure: Measure, from: number, to: number): number {
  return from <= to
    ? amountBetween(calendar, measure, from, to)
    : -amountBetween(calendar, measure, to, from);
}
