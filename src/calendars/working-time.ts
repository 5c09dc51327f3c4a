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

/** Days whose working time is added up once, so that a calculation over years takes few steps. */
const BLOCK = 32;

const isBlock = (day: number): boolean => day % BLOCK === 0;

interface Sums {
  readonly time: Map<number, number>;
  readonly closings: Map<number, number>;
}

const sums = new WeakMap<Calendar, Sums>();
const MOST_SUMS = 5000;

/** A sum of a calendar for the block that begins with a day. */
function sumOf(calendar: Calendar, of: keyof Sums, day: number, add: () => number): number {
  const ofCalendar = sums.get(calendar) ?? {
    time: new Map<number, number>(),
    closings: new Map<number, number>(),
  };
  sums.set(calendar, ofCalendar);
  const known = ofCalendar[of].get(day);
  if (known !== undefined) return known;
  if (ofCalendar[of].size >= MOST_SUMS) ofCalendar[of].clear();
  const sum = add();
  ofCalendar[of].set(day, sum);
  return sum;
}

/** How many days of the block that begins with this one close. */
function closingsIn(calendar: Calendar, first: number): number {
  return sumOf(calendar, 'closings', first, () => {
    const days = Array.from({ length: BLOCK }, (_, at) => closingOf(calendar, first + at));
    return days.filter((closing) => closing !== undefined).length;
  });
}

/** The time between two instants in blocks, with the working time of those that are whole. */
function* piecesOf(
  calendar: Calendar,
  from: number,
  to: number,
): Generator<{ readonly from: number; readonly to: number; readonly sum: number | undefined }> {
  for (let at = from; at < to;) {
    const day = Math.floor(at / DAY / BLOCK) * BLOCK;
    const [begins, ends] = [at, (day + BLOCK) * DAY];
    const isWhole = begins === day * DAY && ends <= to;
    at = Math.min(ends, to);
    const sum = isWhole ? sumOf(calendar, 'time', day, () => openTime(calendar, begins, ends)) : undefined;
    yield { from: begins, to: at, sum };
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
  for (const piece of piecesOf(calendar, Math.max(from, to - HORIZON * DAY), to))
    sum += piece.sum ?? openTime(calendar, piece.from, piece.to);
  return sum;
}

function openTime(calendar: Calendar, from: number, to: number): number {
  let sum = 0;
  for (const open of openTimes(calendar, from, to)) sum += open.to - open.from;
  return sum;
}

function workingDays(calendar: Calendar, from: number, to: number, after: number): number {
  const last = dayAt(calendar.zone, to);
  const first = Math.max(firstToClose(calendar, from, after), last - HORIZON);
  let count = 0;
  for (let day = first; day <= last; day += 1) {
    // Whole blocks close between the instants.
    for (; isBlock(day) && day >= first + 2 && day + BLOCK < last - 1; day += BLOCK)
      count += closingsIn(calendar, day);
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
  for (const piece of piecesOf(calendar, from, horizon)) {
    if (piece.sum !== undefined && piece.sum < left) left -= piece.sum;
    else
      for (const open of openTimes(calendar, piece.from, piece.to)) {
        if (left <= open.to - open.from) return open.from + left;
        left -= open.to - open.from;
      }
  }
  return horizon;
}

function closingOfNth(calendar: Calendar, from: number, count: number, after: number): number {
  const first = firstToClose(calendar, from, after);
  let left = count;
  for (let day = first; day < first + HORIZON; day += 1) {
    for (; isBlock(day) && day >= first + 2 && closingsIn(calendar, day) < left; day += BLOCK) {
      left -= closingsIn(calendar, day);
      if (day >= first + HORIZON) return from + HORIZON * DAY;
    }
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
  for (const piece of piecesOf(calendar, to - reach, to)) {
    if (piece.sum !== undefined && piece.sum <= left) left -= piece.sum;
    else
      for (const open of openTimes(calendar, piece.from, piece.to)) {
        if (left < open.to - open.from) return open.from + Math.max(left, 0);
        left -= open.to - open.from;
      }
  }
  return to;
}

function closingOfNthBefore(calendar: Calendar, to: number, count: number): number {
  // A closing belongs to the day that ends with it.
  const last = workingDayAt(calendar, to - 1);
  let left = count;
  for (let day = last - 1; day > last - HORIZON; day -= 1) {
    for (
      ;
      isBlock(day + 1) && day > last - HORIZON && closingsIn(calendar, day + 1 - BLOCK) < left;
      day -= BLOCK
    )
      left -= closingsIn(calendar, day + 1 - BLOCK);
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
