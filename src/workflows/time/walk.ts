import { type Message, say } from '../../common/message.js';
import { type Calendar, closingOf, holidayOn, hoursOn, openTimes } from './calendar.js';
import { type Duration, isoQuantity, type Measure, quantityOf } from './duration.js';
import { addTo, amountBetween, workingDayAt } from './working-time.js';
import { beginningOfDay, dayText } from './zone.js';

/** A day that a duration passes: how much of it counted, and whether a holiday or a change of the offset affects it. */
export interface WalkedDay {
  readonly day: string;
  readonly hours: readonly string[];
  readonly counted: string;
  readonly why: Message | null;
}

const MOST_DAYS = 1000;
const MOST_RANGES = 1000;

/** Adds a duration, and returns up to 1,000 days that it passes, with up to 1,000 ranges of hours in total. */
export function walk(
  calendar: Calendar,
  from: number,
  duration: Duration,
): { readonly to: number; readonly days: readonly WalkedDay[] } {
  const to = addTo(calendar, from, duration);
  const { measure } = quantityOf(duration);
  const first = workingDayAt(calendar, from);
  const last = Math.max(first, workingDayAt(calendar, to - 1));
  const days: WalkedDay[] = [];
  let ranges = 0;
  for (let day = first; day <= last && days.length < MOST_DAYS; day += 1) {
    ranges += hoursOn(calendar, day).length;
    if (ranges > MOST_RANGES) break;
    days.push({
      day: dayText(day),
      hours: hoursOn(calendar, day).map(({ text }) => text),
      counted: isoQuantity({ measure, amount: countedOn(calendar, measure, day, from, to) }),
      why: whyClosed(calendar, day),
    });
  }
  return { to, days };
}

function countedOn(calendar: Calendar, measure: Measure, day: number, from: number, to: number): number {
  if (measure === 'working_days')
    return day > workingDayAt(calendar, from) && closes(calendar, day, to) ? 1 : 0;
  const [begins, ends] = [beginningOfDay(calendar.zone, day), beginningOfDay(calendar.zone, day + 1)];
  if (measure !== 'working')
    return amountBetween(calendar, measure, Math.max(begins, from), Math.max(from, Math.min(ends, to)));
  let sum = 0;
  const closing = closingOf(calendar, day) ?? begins;
  for (const open of openTimes(calendar, Math.max(begins, from), Math.min(closing, to)))
    if (open.day === day) sum += open.to - open.from;
  return sum;
}

function closes(calendar: Calendar, day: number, to: number): boolean {
  const closing = closingOf(calendar, day);
  return closing !== undefined && closing <= to;
}

function whyClosed(calendar: Calendar, day: number): Message | null {
  const holiday = holidayOn(calendar, day);
  if (holiday !== undefined) return say`is the holiday ${holiday}`;
  const isSkipped = beginningOfDay(calendar.zone, day) === beginningOfDay(calendar.zone, day + 1);
  return isSkipped ? say`is left out in ${calendar.zone.name}` : null;
}
