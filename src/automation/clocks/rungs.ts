import { type Clock, type ClockRow, type Rung } from './clock.js';
import { endOf, reachedAt, reachedFrom } from './clock-time.js';
import { type Duration, type Quantity, quantityOf } from '../../workflows/time/duration.js';
import { retreat } from '../../workflows/time/working-time.js';

interface DueRung {
  readonly rung: Rung;
  readonly dueAt: number;
}

/** A rung is missed if it is too late, and skipped if its clock has ended. */
export interface RungDue extends DueRung {
  readonly kind: 'fire' | 'missed' | 'skipped';
}

/** The next rung that is not done. Its time may be in the past. */
export function nextDue(clock: Clock, row: ClockRow): DueRung | null {
  return row.endedAt === null ? (leftUntil(clock, row, Infinity)[0] ?? null) : null;
}

/** The due rungs that are not done, in order. A rung is missed if it is more than `lateLimit` ms late. */
export function rungsDue(clock: Clock, row: ClockRow, now: number, lateLimit: number): RungDue[] {
  return leftUntil(clock, row, Math.min(now, row.endedAt ?? Infinity)).map((due) => {
    const isLate = now - Math.max(due.dueAt, row.changedAt) > lateLimit;
    return { ...due, kind: row.endedAt !== null ? 'skipped' : isLate ? 'missed' : 'fire' };
  });
}

function leftUntil(clock: Clock, row: ClockRow, until: number): DueRung[] {
  return clock.rungs
    .flatMap((rung) => {
      const dueAt = row.done.includes(rung.id) ? null : timeOf(clock, row, rung);
      return dueAt !== null && dueAt <= until ? [{ rung, dueAt }] : [];
    })
    .sort((one, other) => one.dueAt - other.dueAt);
}

export const withRungsDone = (row: ClockRow, due: readonly DueRung[]): ClockRow => ({
  ...row,
  done: [...row.done, ...due.map(({ rung }) => rung.id)],
  passed: (row.passed ?? []).filter((id) => !due.some(({ rung }) => rung.id === id)),
});

interface Rearming {
  /**
   * Which rungs fire if a change moves them into the past: only the last one, or none. With `later`, none
   * fires unless a later change moves it into the future.
   */
  readonly past: 'last' | 'none' | 'later';
  /** Whether a rung that has fired may fire again if a change moves it into the future. */
  readonly ahead: 'again' | 'never';
}

/** Decides anew which rungs are done, because a clock began, or its budget, field or definition changed. */
export function rearmed(
  former: { readonly clock: Clock; readonly row: ClockRow } | undefined,
  clock: Clock,
  row: ClockRow,
  at: number,
  { past, ahead }: Rearming,
): ClockRow {
  const done = new Set<string>();
  let last: { readonly id: string; readonly dueAt: number } | undefined;
  for (const rung of clock.rungs) {
    const { id } = rung;
    const dueAt = timeOf(clock, row, rung);
    const isPast = dueAt !== null && dueAt <= at;
    const wasDone = row.done.includes(id) && (isPast || !row.passed?.includes(id));
    if (wasDone && (isPast || ahead === 'never')) done.add(id);
    const before = former && timeOf(former.clock, former.row, rung);
    if (!isPast || wasDone || (before != null && before <= at)) continue;
    done.add(id);
    if (dueAt >= (last?.dueAt ?? -Infinity)) last = { id, dueAt };
  }
  if (last && past === 'last') done.delete(last.id);
  const isPassed = (id: string): boolean =>
    row.passed?.includes(id) === true || (past === 'later' && !row.done.includes(id));
  return { ...row, changedAt: at, done: [...done], passed: [...done].filter(isPassed) };
}

/** When a rung is due; null if this is not known. May be null if the clock ended before the rung was due. */
function timeOf(clock: Clock, row: ClockRow, { at }: Rung): number | null {
  const { budget } = row;
  if ('percent' in at)
    return budget && at.percent < 100
      ? reachedAt(clock, row, shareOf(budget, at.percent))
      : endOf(clock, row);
  if (at.from === 'start') return budget && reachedAt(clock, row, quantityOf(at.after));
  const after = quantityOf(at.after);
  const whole = budget && quantityOf(budget);
  // If the budget and the rung have the same measure, adds their amounts. This also works for a paused clock,
  // whose end is not known.
  if (whole?.measure === after.measure)
    return reachedAt(clock, row, { ...whole, amount: whole.amount + after.amount });
  const end = endOf(clock, row);
  if (end === null) return null;
  return after.amount < 0
    ? retreat(clock.calendar, end, { ...after, amount: -after.amount })
    : reachedFrom(clock, row, end, after);
}

/** A share of a budget, rounded up to whole days if the budget is in days. */
function shareOf(budget: Duration, percent: number): Quantity {
  const isDays = budget.unit.endsWith('days');
  if (isDays) return quantityOf({ ...budget, amount: Math.ceil((budget.amount * percent) / 100) });
  const { measure, amount } = quantityOf(budget);
  return { measure, amount: Math.ceil((amount * percent) / 100) };
}
