import { type Clock, type ClockEvent, type ClockRow, type ClockState } from './clock.js';
import { isAlike } from '../../workflows/time/calendar.js';
import { accrued, endOf } from './clock-time.js';
import { type Duration } from '../../workflows/time/duration.js';
import { rearmed } from './rungs.js';

/**
 * Applies the events of a task to the row of a clock. Returns the changed row, then a row for each time that
 * the clock began again. The result depends only on the arguments, so every process computes the same.
 */
export function foldEvents(clock: Clock, row: ClockRow | null, events: readonly ClockEvent[]): ClockRow[] {
  const rows: ClockRow[] = row ? [row] : [];
  for (const event of events) {
    const last = rows.at(-1) ?? null;
    if (last && event.version <= last.taskVersion) continue;
    const next = folded(clock, last, event);
    if (next?.visit === last?.visit) rows.pop();
    if (next) rows.push({ ...next, taskVersion: event.version });
  }
  return rows;
}

/** When a definition changed, and what the new clock reads from the task. */
type DefinitionChange = Pick<ClockEvent, 'at' | 'budgetValue' | 'moment'>;

/** Returns the row under a new definition. The time used so far is kept unless the start changes. */
export function foldDefinition(
  former: Clock,
  clock: Clock,
  row: ClockRow,
  { at, budgetValue, moment }: DefinitionChange,
): ClockRow {
  if (row.endedAt !== null) return row;
  const budget = budgetFor(clock, budgetValue);
  // Counts no time after the deadline, so that the deadline of an overdue clock does not move.
  const end = endOf(former, withBudget(row, budget));
  const kept = countsAlike(former, clock) ? row : accrued(former, row, Math.min(end ?? at, at));
  const next = withBudget(moment === null ? kept : startedBy(clock, kept, moment), budget);
  return rearmed({ clock: former, row }, clock, next, at, { past: 'later', ahead: 'never' });
}

/** Whether two definitions of a clock count time in the same way. */
function countsAlike(one: Clock, other: Clock): boolean {
  return one.runs === other.runs && isAlike(one.calendar, other.calendar);
}

/**
 * Begins a clock as if it had been defined when its task entered the stage. Rungs that were due before the
 * clock was defined do not fire. Undefined if the clock does not begin.
 */
export function foldArrival(clock: Clock, event: ClockEvent, appliedAt: number): ClockRow | undefined {
  const row = folded(clock, null, event);
  const at = Math.max(appliedAt, event.at);
  return row ? rearmed(undefined, clock, row, at, { past: 'later', ahead: 'never' }) : undefined;
}

function folded(clock: Clock, row: ClockRow | null, event: ClockEvent): ClockRow | null {
  if (!row || row.endedAt !== null) return begun(clock, row, event);
  if (event.stage.to === null) return ended(row, event.at, 'cancelled');
  const moved = withMoment(clock, row, event);
  if (moved.endedAt !== null) return moved;
  return withStage(clock, withValue(clock, moved, event), event, event.stage.to);
}

/** Begins a clock or continues an ended one if the event requires this; otherwise returns the same row. */
function begun(clock: Clock, row: ClockRow | null, event: ClockEvent): ClockRow | null {
  const { at, stage } = event;
  if (stage.to === null || !mayBegin(clock, event, stage.to)) return row;
  const isContinued = row !== null && row.state !== 'cancelled' && clock.again === 'continue';
  if (!isContinued) return withStage(clock, fresh(clock, event), event, stage.to);
  const pauses = [...row.pauses, { stage: stage.from ?? '', from: row.endedAt ?? at, to: at }];
  const again = { ...row, pauses, endedAt: null, state: 'running' as const };
  // A rung that was due before the clock ended, but had not fired by then, does not fire any more.
  const rest = rearmed(undefined, clock, again, at, { past: 'none', ahead: 'never' });
  return withStage(clock, withValue(clock, withMoment(clock, rest, event), event), event, stage.to);
}

function mayBegin(clock: Clock, { stage, moment }: ClockEvent, to: string): boolean {
  if (clock.runs === 'from_field' || clock.runs === 'until_field')
    return moment !== null && !clock.stops.has(to);
  const isBarred = clock.runs === 'from_stages' && (clock.stops.has(to) || clock.pauses.has(to));
  return stage.from !== to && clock.stages.has(to) && !isBarred;
}

const nothing = { elapsed: 0, wall: 0, working: 0, working_days: 0 };

/** Returns a clock that begins with an event. If several rungs are in the past, only the last one fires. */
function fresh(clock: Clock, { at, version, budgetValue, moment }: ClockEvent): ClockRow {
  const startedAt = clock.runs === 'from_field' ? (moment ?? at) : at;
  const row: ClockRow = {
    visit: version,
    taskVersion: version,
    startedAt,
    countedFrom: startedAt,
    consumed: nothing,
    pauses: [],
    budget: null,
    due: clock.runs === 'until_field' ? moment : null,
    changedAt: at,
    done: [],
    state: 'running',
    endedAt: null,
  };
  const whole = withBudget(row, budgetFor(clock, budgetValue));
  return rearmed(undefined, clock, whole, at, { past: 'last', ahead: 'never' });
}

function budgetFor({ budget }: Clock, value: string | null): Duration | null {
  return (value === null ? undefined : budget.of.get(value)) ?? budget.else;
}

const withBudget = (row: ClockRow, budget: Duration | null): ClockRow => ({ ...row, budget });

/** Applies a change of the field that holds the start or deadline. A blank field cancels the clock. */
function withMoment(clock: Clock, row: ClockRow, { at, moment }: ClockEvent): ClockRow {
  if (moment === null) return clock.runs.endsWith('_field') ? ended(row, at, 'cancelled') : row;
  const next = startedBy(clock, row, moment);
  return next === row ? row : rearmed({ clock, row }, clock, next, at, { past: 'last', ahead: 'again' });
}

/** Returns the row with the start or deadline from its field; the same row if the field did not change. */
function startedBy(clock: Clock, row: ClockRow, moment: number): ClockRow {
  if (clock.runs === 'from_field' && row.startedAt !== moment)
    return { ...row, startedAt: moment, countedFrom: moment, consumed: nothing };
  return clock.runs === 'until_field' && row.due !== moment ? { ...row, due: moment } : row;
}

/** Returns the row after a change of the field that determines the budget. The used time is kept. */
function withValue(clock: Clock, row: ClockRow, { at, budgetValue }: ClockEvent): ClockRow {
  const budget = budgetFor(clock, budgetValue);
  if (budget?.amount === row.budget?.amount && budget?.unit === row.budget?.unit) return row;
  return rearmed({ clock, row }, clock, withBudget(row, budget), at, { past: 'last', ahead: 'never' });
}

/** Returns the row for the stage after an event. If a stage both stops and pauses a clock, the clock ends. */
function withStage(clock: Clock, row: ClockRow, { at, stage }: ClockEvent, to: string): ClockRow {
  const isLeft = clock.runs === 'in_stages' ? !clock.stages.has(to) : clock.stops.has(to);
  if (isLeft) return ended(row, at, outcomeOf(clock, row, at));
  const paused = row.pauses.at(-1);
  const isPaused = paused?.to === null;
  if (!clock.pauses.has(to)) return stated(clock, isPaused ? { ...row, pauses: closed(row, at) } : row);
  if (isPaused && stage.from === to) return stated(clock, row);
  return stated(clock, { ...row, pauses: [...closed(row, at), { stage: to, from: at, to: null }] });
}

function outcomeOf(clock: Clock, row: ClockRow, at: number): ClockState {
  if (clock.runs !== 'until_field' && row.budget === null) return 'cancelled';
  const end = endOf(clock, row);
  return end !== null && end < at ? 'breached' : 'met';
}

function ended(row: ClockRow, at: number, state: ClockState): ClockRow {
  return { ...row, state, endedAt: at, pauses: closed(row, at) };
}

const closed = ({ pauses }: ClockRow, at: number): ClockRow['pauses'] =>
  pauses.map((pause) => (pause.to === null ? { ...pause, to: at } : pause));

const MOST_PAUSES = 100;

function stated(clock: Clock, row: ClockRow): ClockRow {
  const isNone = clock.runs !== 'until_field' && row.budget === null;
  const isPaused = row.pauses.at(-1)?.to === null;
  const state = isNone ? 'cancelled' : isPaused ? 'paused' : 'running';
  const [oldest] = row.pauses;
  if (!oldest || row.pauses.length <= MOST_PAUSES) return { ...row, state };
  return { ...accrued(clock, row, oldest.to ?? oldest.from), pauses: row.pauses.slice(1), state };
}
