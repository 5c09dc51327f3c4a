import { type Clock, type ClockRow, type Rung } from './clock.js';
import { endOf, reachedAt, reachedFrom } from './clock-time.js';
import { type Duration, type Quantity, quantityOf } from './duration.js';
import { retreat } from './working-time.js';

/** A time at which a rung is due: its first time, or a repetition. */
export interface DueRung {
  readonly rung: Rung;
  readonly dueAt: number;
}

/** What to do with a due rung: fire it, count it as missed if it is too late, or skip it if its clock has ended. */
export interface RungDue extends DueRung {
  readonly lateBy: number;
  readonly kind: 'fire' | 'missed' | 'skipped';
}

/** The next rung that has not been done, which may be overdue. */
export function nextDue(clock: Clock, row: ClockRow): DueRung | null {
  if (row.endedAt !== null) return null;
  let next: DueRung | null = null;
  for (const rung of clock.rungs) {
    const dueAt = timeOf(clock, row, rung, row.done[rung.id] ?? 0);
    if (dueAt !== null && (next === null || dueAt < next.dueAt)) next = { rung, dueAt };
  }
  return next;
}

/** The due rungs that have not been done, in order. Those more than `lateLimit` milliseconds late are missed. */
export function rungsDue(clock: Clock, row: ClockRow, now: number, lateLimit: number): RungDue[] {
  const until = Math.min(now, row.endedAt ?? Infinity);
  return clock.rungs
    .flatMap((rung) =>
      pastOf(clock, row, rung, until)
        .slice(row.done[rung.id] ?? 0)
        .map((dueAt) => ({ rung, dueAt })),
    )
    .sort((one, other) => one.dueAt - other.dueAt)
    .map((due) => {
      const lateBy = now - Math.max(due.dueAt, row.changedAt);
      const isLate = lateBy > lateLimit;
      return { ...due, lateBy, kind: row.endedAt !== null ? 'skipped' : isLate ? 'missed' : 'fire' };
    });
}

/** The row after these rungs were done. */
export function withRungsDone(row: ClockRow, due: readonly DueRung[]): ClockRow {
  const done = { ...row.done };
  for (const { rung } of due) done[rung.id] = (done[rung.id] ?? 0) + 1;
  return { ...row, done };
}

/** The row after a rung was done for this due time and all earlier ones. */
export function withRungDone(clock: Clock, row: ClockRow, id: string, dueAt: number): ClockRow {
  const rung = clock.rungs.find((each) => each.id === id);
  const times = rung ? pastOf(clock, row, rung, dueAt).length : 0;
  return { ...row, done: { ...row.done, [id]: Math.max(row.done[id] ?? 0, times) } };
}

/** Whether rungs that a change moves into the past fire, and whether rungs that it moves ahead fire again. */
export interface Rearming {
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
    const times = pastOf(clock, row, rung, at);
    const dueAt = times.at(-1);
    const former = row.done[rung.id] ?? 0;
    const formerly = Math.max(former, before ? pastOf(before.clock, before.row, rung, at).length : 0);
    const isNew = times.length > formerly;
    done.set(rung.id, isNew ? times.length : ahead === 'again' ? Math.min(former, times.length) : former);
    if (isNew && dueAt !== undefined && dueAt >= (last?.dueAt ?? -Infinity))
      last = { id: rung.id, dueAt, times: times.length };
  }
  if (last && past === 'last') done.set(last.id, last.times - 1);
  return { ...row, changedAt: at, done: Object.fromEntries(done) };
}

/** The due times of a rung in the past. */
function pastOf(clock: Clock, row: ClockRow, rung: Rung, until: number): number[] {
  const times: number[] = [];
  for (;;) {
    const time = timeOf(clock, row, rung, times.length);
    if (time === null || time > until) return times;
    times.push(time);
  }
}

/** The n-th due time of a rung, from 0; null if it is not known yet, or there are fewer repetitions. */
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
  // In the same measure the time is known before the end, and pauses delay both.
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
