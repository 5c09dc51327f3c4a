import { type Given } from '../../actions/given.js';
import { type Calendar } from '../../workflows/time/calendar.js';
import { type Duration, type Measure, parseDuration } from '../../workflows/time/duration.js';
import { type Parsed, refused } from '../../workflows/time/parsed.js';

/** A compiled clock of a workflow. The clock measures a time limit, or waits for a date or a time. */
export interface Clock {
  readonly id: string;
  /** The calendar that the definition of the clock names; if it names none, a calendar without hours. */
  readonly calendar: Calendar;
  /**
   * When the clock runs. `from_stages`: from the time when the task enters one of `stages`. `in_stages`:
   * while the task is in one of them. `from_field` and `until_field`: from or until the instant in a field.
   */
  readonly runs: 'from_stages' | 'in_stages' | 'from_field' | 'until_field';
  readonly stages: ReadonlySet<string>;
  readonly pauses: ReadonlySet<string>;
  readonly stops: ReadonlySet<string>;
  /** `of` maps values of a field to budgets. All other values have the budget `else`, which may be null. */
  readonly budget: { readonly of: ReadonlyMap<string, Duration>; readonly else: Duration | null };
  readonly rungs: readonly Rung[];
  readonly again: 'restart' | 'continue';
}

/** A reminder or escalation of a clock. `at` says when. `id` is the text of `at` in the definition. */
export interface Rung {
  readonly id: string;
  readonly at: RungAt;
  /** The id of the action to start, and its input. */
  readonly run?: string | undefined;
  readonly given?: Given | null;
}

/** A share of the budget, or a duration from the start or end. A duration from the end may be negative. */
type RungAt = { readonly percent: number } | { readonly from: 'start' | 'end'; readonly after: Duration };

/** Parses `50%`, `2 hours` (from the start), `-2 days` and `100% + 8 working_hours` (from the end). */
export function parseRungAt(text: string): Parsed<RungAt> {
  const [, percent] = /^(\d{1,3})%$/.exec(text) ?? [];
  if (percent !== undefined) return percentOf(Number(percent));
  const [, sign, rest = text] = /^(?:100% ?)?([+-]) ?(.+)$/.exec(text) ?? [];
  if (/%/.test(rest) || /^100% ?-/.test(text))
    return refused(`is not a time such as 50%, 100%, 100% + 2 hours, 2 hours, -2 days or +2 days: ${text}`);
  const { value, refusals } = parseDuration(rest);
  if (refusals) return { refusals };
  const after = { ...value, amount: sign === '-' ? -value.amount : value.amount };
  return { value: { from: sign === undefined ? 'start' : 'end', after } };
}

function percentOf(percent: number): Parsed<RungAt> {
  return percent > 0 && percent <= 100
    ? { value: { percent } }
    : refused(`is not 1% to 100%: ${percent}%; a later time is 100% + a duration, such as 100% + 2 hours`);
}

/** Whether a rung counts from the end of the clock. All rungs of a clock with `due` count from the end. */
export function isFromEnd(at: RungAt): boolean {
  return 'percent' in at ? at.percent === 100 : at.from === 'end';
}

export type ClockState = 'running' | 'paused' | 'met' | 'breached' | 'cancelled';

interface ClockPause {
  readonly stage: string;
  readonly from: number;
  readonly to: number | null;
}

/** The state of a task's clock. `consumed` covers only the time before `countedFrom`. */
export interface ClockRow {
  /** The version of the task when the clock began. */
  readonly visit: number;
  /** The version of the task that was processed last. */
  readonly taskVersion: number;
  readonly startedAt: number;
  readonly countedFrom: number;
  readonly consumed: Readonly<Record<Measure, number>>;
  /** The latest pauses, at most 100. */
  readonly pauses: readonly ClockPause[];
  readonly budget: Duration | null;
  /** The deadline of an `until_field` clock; otherwise null. */
  readonly due: number | null;
  /**
   * When the clock began, or when its budget, field or definition last changed. If a rung was due before this
   * time, its lateness counts from this time.
   */
  readonly changedAt: number;
  /** The ids of the rungs that have fired or are not to fire. */
  readonly done: readonly string[];
  /** Those of `done` that a new definition found in the past. They fire if they move into the future. */
  readonly passed?: readonly string[];
  readonly state: ClockState;
  readonly endedAt: number | null;
}

export const isOpenClock = ({ state }: ClockRow): boolean => state === 'running' || state === 'paused';

/** What a clock reads from a task after an event of the task. */
export interface ClockEvent {
  readonly at: number;
  readonly version: number;
  /**
   * `from` equals `to` if the stage did not change. For a creation, `from` is null. A stage that the workflow
   * no longer has is null, too.
   */
  readonly stage: { readonly from: string | null; readonly to: string | null };
  readonly budgetValue: string | null;
  readonly moment: number | null;
}
