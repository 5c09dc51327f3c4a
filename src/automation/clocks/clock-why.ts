import { plural } from '../../common/wording.js';
import { type Clock, type ClockRow } from './clock.js';
import { consumedOf, endOf } from './clock-time.js';
import { type Duration, type Quantity, quantityOf } from '../../workflows/time/duration.js';
import { beginningOfDay, DAY, dayAt, localAt, MINUTE, type Zone } from '../../workflows/time/zone.js';

/** Returns for each stage how many milliseconds a clock was paused there. */
function pausedIn({ pauses }: ClockRow, now: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { stage, from, to } of pauses)
    times.set(stage, (times.get(stage) ?? 0) + Math.max((to ?? now) - from, 0));
  return times;
}

/** The rest of the budget: negative if the budget is exceeded, null without a budget. */
function remainingOf(clock: Clock, row: ClockRow, now: number): Quantity | null {
  if (!row.budget) return null;
  const { measure, amount } = quantityOf(row.budget);
  return { measure, amount: amount - consumedOf(clock, row, measure, now) };
}

/** Explains a clock: `due Tue 24 Nov 17:30 office time: 11 h of work left; paused 2 h 5 min in Waiting`. */
export function whyClock(clock: Clock, row: ClockRow, now: number): string {
  const pauses = [...pausedIn(row, now)].filter(([, time]) => time >= MINUTE);
  const paused = pauses.map(([stage, time]) => `paused ${lengthOf(time)} in ${stage}`);
  return [standing(clock, row, now), ...paused].join('; ');
}

function standing(clock: Clock, row: ClockRow, now: number): string {
  const { calendar } = clock;
  if (row.endedAt !== null) return `${row.state} ${timeText(calendar.zone, row.endedAt, now)}`;
  const end = endOf(clock, row);
  const left = leftOf(clock, row, now);
  if (end === null) return left === null ? 'has no budget' : `paused: ${left}`;
  const at = `${timeText(calendar.zone, end, now, true)} ${calendar.id} time`;
  const said = end < now ? `was due ${at}` : `due ${at}`;
  return left === null ? said : `${said}: ${left}`;
}

function leftOf(clock: Clock, row: ClockRow, now: number): string | null {
  const remaining = remainingOf(clock, row, now);
  if (!remaining || !row.budget) return null;
  const end = endOf(clock, row);
  // On the last working day, 0 days of the budget are left. The budget is exceeded only when that day ends.
  if (remaining.amount === 0 && end !== null && end < now) return `${lengthOf(now - end, true)} over`;
  const amount = amountText(Math.abs(remaining.amount), row.budget.unit);
  return remaining.amount < 0 ? `${amount} over` : `${amount} left`;
}

function amountText(amount: number, unit: Duration['unit']): string {
  if (unit === 'working_days') return plural(amount, 'working day');
  const { measure } = quantityOf({ amount: 1, unit });
  const length = lengthOf(amount, measure === 'wall');
  return measure === 'working' ? `${length} of work` : length;
}

/** Writes a duration as 2 h 5 min; less than a minute, as 57 s. With `inDays`, writes days, too: 3 d 2 h. */
function lengthOf(milliseconds: number, inDays = false): string {
  const minutes = Math.floor(milliseconds / MINUTE);
  const days = inDays ? Math.floor(milliseconds / DAY) : 0;
  const parts = [
    [days, 'd'],
    [Math.floor(minutes / 60) - days * 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, letters]) => `${amount} ${letters}`);
  return shown.join(' ') || `${Math.floor(milliseconds / 1000)} s`;
}

/**
 * Writes an instant as Tue 24 Nov 17:30, with the year if it is not this year. If `isEnd`, midnight is
 * written as 24:00 of the day before.
 */
function timeText(zone: Zone, instant: number, now: number, isEnd = false): string {
  const isMidnight = isEnd && beginningOfDay(zone, dayAt(zone, instant)) === instant;
  const date = new Date(isMidnight ? dayAt(zone, instant) * DAY - 1 : localAt(zone, instant));
  const time = isMidnight ? '24:00' : date.toISOString().slice(11, 16);
  // `toUTCString` writes Tue, 24 Nov 2026 17:30:00 GMT.
  const [weekday, day, month, year] = date.toUTCString().split(/,? /);
  const isThisYear = date.getUTCFullYear() === new Date(localAt(zone, now)).getUTCFullYear();
  return [weekday, Number(day), month, ...(isThisYear ? [] : [year]), time].join(' ');
}
