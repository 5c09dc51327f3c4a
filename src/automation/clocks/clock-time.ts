import { type Clock, type ClockRow, isOpenClock } from './clock.js';
import { type Measure, type Quantity, quantityOf } from '../../workflows/time/duration.js';
import { advance, amountBetween, workingDayAt } from '../../workflows/time/working-time.js';

/** A period in which a clock runs. `to` is Infinity if the period has not ended. */
interface ClockRun {
  readonly from: number;
  readonly to: number;
}

/** The periods in which a clock has run since an instant. An `until_field` clock also runs during pauses. */
function runsOf(
  { runs }: Clock,
  { pauses, countedFrom, endedAt }: ClockRow,
  since = countedFrom,
): ClockRun[] {
  const found: ClockRun[] = [];
  const isPlain = runs === 'until_field';
  let from = isPlain ? since : Math.max(since, countedFrom);
  for (const pause of isPlain ? [] : pauses) {
    if (pause.from > from) found.push({ from, to: pause.from });
    from = Math.max(from, pause.to ?? Infinity);
  }
  const to = endedAt ?? Infinity;
  return from < to ? [...found, { from, to }] : found;
}

/**
 * Returns when a clock has run for an amount of time since `instant`. Returns null if the clock has ended or
 * is paused, and has not run that long.
 */
export function reachedFrom(
  clock: Clock,
  row: ClockRow,
  instant: number,
  { measure, amount }: Quantity,
): number | null {
  // An instant on the boundary of two days belongs to the earlier day.
  return reachIn(
    clock,
    runsOf(clock, row, instant),
    { measure, amount },
    workingDayAt(clock.calendar, instant - 1),
  );
}

/**
 * Returns when a clock has run for an amount of time in total. If `consumed` covers the amount, returns
 * `countedFrom`. Returns null if the clock has ended or is paused, and has not run that long.
 */
export function reachedAt(clock: Clock, row: ClockRow, { measure, amount }: Quantity): number | null {
  const left = amount - row.consumed[measure];
  if (left <= 0) return row.countedFrom;
  return reachIn(
    clock,
    runsOf(clock, row),
    { measure, amount: left },
    workingDayAt(clock.calendar, row.startedAt),
  );
}

function reachIn(
  { calendar }: Clock,
  runs: readonly ClockRun[],
  { measure, amount }: Quantity,
  after: number,
): number | null {
  let left = amount;
  for (const { from, to } of runs) {
    const available = to === Infinity ? Infinity : amountBetween(calendar, measure, from, to, after);
    if (left <= available) return Math.min(advance(calendar, from, { measure, amount: left }, after), to);
    left -= available;
  }
  return null;
}

/** Returns the time that a clock has used up to an instant, in the unit of the measure. */
export function consumedOf(clock: Clock, row: ClockRow, measure: Measure, until: number): number {
  const after = workingDayAt(clock.calendar, row.startedAt);
  return runsOf(clock, row)
    .filter(({ from }) => from < until)
    .reduce(
      (sum, { from, to }) => sum + amountBetween(clock.calendar, measure, from, Math.min(to, until), after),
      row.consumed[measure],
    );
}

/**
 * Returns the deadline of a clock: the instant in its field, or the time when its budget is used up. Null if
 * the clock has no deadline, or if the clock is paused or has ended with time left.
 */
export function endOf(clock: Clock, row: ClockRow): number | null {
  if (clock.runs === 'until_field') return row.due;
  return row.budget && reachedAt(clock, row, quantityOf(row.budget));
}

/** Whether a clock that has not ended is past its deadline. */
export function isOverdue(clock: Clock, row: ClockRow, now: number): boolean {
  const end = isOpenClock(row) ? endOf(clock, row) : null;
  return end !== null && end < now;
}

/** If `until` is after `countedFrom`, moves `countedFrom` there and increases `consumed` by the used time. */
export function accrued(clock: Clock, row: ClockRow, until: number): ClockRow {
  if (until <= row.countedFrom) return row;
  const of = (measure: Measure): number => consumedOf(clock, row, measure, until);
  const consumed = {
    elapsed: of('elapsed'),
    wall: of('wall'),
    working: of('working'),
    working_days: of('working_days'),
  };
  return { ...row, consumed, countedFrom: until };
}
