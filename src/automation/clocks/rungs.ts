import { type Clock, type ClockRow, type Rung } from './clock.js';
import { endOf, reachedAt, reachedFrom } from './clock-time.js';
import { type Duration, type Quantity, quantityOf } from '../../workflows/time/duration.js';
import { retreat } from '../../workflows/time/working-time.js';

/** A time at which a rung is due: its first time, or a repetition. */
interface DueRung {
  readonly rung: Rung;
  readonly dueAt: number;
}

/** A rung is missed if it is too late, and skipped if its clock has ended. */
export interface RungDue extends DueRung {
  readonly lateBy: number;
  readonly kind: 'fire' | 'missed' | 'skipped';
}

/** The next rung that has not been done. It may be overdue. */
export function nextDue(clock: Clock, row: ClockRow): DueRung | null {
  if (row.endedAt !== null) return null;
  let next: DueRung | null = null;
  for (const rung of clock.rungs) {
    const dueAt = timeOf(clock, row, rung, row.done[rung.id] ?? 0);
    if (dueAt !== null && (next === null || dueAt < next.dueAt)) next = { rung, dueAt };
  }
  return next;
}

/** The first 100 due rungs that have not been done, in order. Those more than `lateLimit` milliseconds late are missed. */
export function rungsDue(clock: Clock, row: ClockRow, now: number, lateLimit: number): RungDue[] {
  const until = Math.min(now, row.endedAt ?? Infinity);
  return clock.rungs
    .flatMap((rung) => dueTimes(clock, row, rung, until).map((dueAt) => ({ rung, dueAt })))
    .sort((one, other) => one.dueAt - other.dueAt)
    .slice(0, MOST_TIMES)
    .map((due) => {
      const lateBy = now - due.dueAt;
      const isLate = now - Math.max(due.dueAt, row.changedAt) > lateLimit;
      return { ...due, lateBy, kind: row.endedAt !== null ? 'skipped' : isLate ? 'missed' : 'fire' };
    });
}

export function withRungsDone(row: ClockRow, due: readonly DueRung[]): ClockRow {
  const done = { ...row.done };
  for (const { rung } of due) done[rung.id] = (done[rung.id] ?? 0) + 1;
  return { ...row, done };
}

/** Whether rungs that a change moves into the past fire, and whether rungs that it moves into the future fire again. */
interface Rearming {
  readonly past: 'last' | 'none';
  readonly ahead: 'again' | 'never';
}

/** A row after a change of its budget, field or definition, with the rungs that are still to be done. */
export function rearmed(
  before: { readonly clock: Clock; readonly row: ClockRow } | undefined,
  clock: Clock,
  row: ClockRow,
  at: number,
  { past, ahead }: Rearming,
): ClockRow {
  const done = new Map<string, number>();
  let last: { readonly id: string; readonly dueAt: number; readonly times: number } | undefined;
  for (const rung of clock.rungs) {
    const times = timesPast(clock, row, rung, at);
    const former = row.done[rung.id] ?? 0;
    const formerly = Math.max(former, before ? timesPast(before.clock, before.row, rung, at) : 0);
    const isNew = times > formerly;
    done.set(rung.id, isNew ? times : ahead === 'again' ? Math.min(former, times) : former);
    const dueAt = isNew ? timeOf(clock, row, rung, times - 1) : null;
    if (dueAt !== null && dueAt >= (last?.dueAt ?? -Infinity)) last = { id: rung.id, dueAt, times };
  }
  if (last && past === 'last') done.set(last.id, last.times - 1);
  return { ...row, changedAt: at, done: Object.fromEntries(done) };
}

/** The most due times that are examined at once: a task that ends may leave thousands. */
const MOST_TIMES = 100;

/** The past due times of a rung that have not been done. */
function dueTimes(clock: Clock, row: ClockRow, rung: Rung, until: number): number[] {
  const done = row.done[rung.id] ?? 0;
  const length = Math.min(Math.max(timesPast(clock, row, rung, until) - done, 0), MOST_TIMES);
  return Array.from({ length }, (_, at) => timeOf(clock, row, rung, done + at) ?? until);
}

/** How many due times of a rung are in the past. The times are in order, so a search computes few of a thousand. */
function timesPast(clock: Clock, row: ClockRow, rung: Rung, until: number): number {
  let [low, high] = [0, (rung.repeat?.times ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const time = timeOf(clock, row, rung, middle);
    if (time !== null && time <= until) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The n-th due time of a rung, from 0; null if it is not known yet, or the rung repeats fewer times. */
function timeOf(clock: Clock, row: ClockRow, { at, repeat }: Rung, time: number): number | null {
  if (time > (repeat?.times ?? 0)) return null;
  const first = firstTimeOf(clock, row, at);
  if (first === null || time === 0 || !repeat) return first;
  return reachedFrom(clock, row, first, quantityOf({ ...repeat.every, amount: repeat.every.amount * time }));
}

function firstTimeOf(clock: Clock, row: ClockRow, at: Rung['at']): number | null {
  const { budget } = row;
  if ('percent' in at)
    return budget && at.percent < 100
      ? reachedAt(clock, row, shareOf(budget, at.percent))
      : endOf(clock, row);
  if (at.from === 'start') return budget && reachedAt(clock, row, quantityOf(at.after));
  const after = quantityOf(at.after);
  const whole = budget && quantityOf(budget);
  // If both use the same measure, add them: the end need not be known, because pauses delay both alike.
  if (whole?.measure === after.measure)
    return reachedAt(clock, row, { ...whole, amount: whole.amount + after.amount });
  const end = endOf(clock, row);
  if (end === null) return null;
  return after.amount < 0
    ? retreat(clock.calendar, end, { ...after, amount: -after.amount })
    : reachedFrom(clock, row, end, after);
}

/** A share of a budget, rounded up to whole days if it counts days. */
function shareOf(budget: Duration, percent: number): Quantity {
  const isDays = budget.unit.endsWith('days');
  if (isDays) return quantityOf({ ...budget, amount: Math.ceil((budget.amount * percent) / 100) });
  const { measure, amount } = quantityOf(budget);
  return { measure, amount: Math.ceil((amount * percent) / 100) };
}
