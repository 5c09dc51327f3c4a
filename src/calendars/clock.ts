import { type Calendar } from './calendar.js';
import { type Duration, type Measure, parseDuration } from './duration.js';
import { type Parsed, refused } from './parsed.js';
import { beginningOfDay, DAY, instantOf, type Zone } from './zone.js';

/** When something has taken so long, or when a day has come: what a workflow says of a clock, compiled. */
export interface Clock {
  readonly id: string;
  /** Of a clock that counts no work it is one without hours. */
  readonly calendar: Calendar;
  /** It begins on entering a stage; runs in stages only; begins at an instant of a field; or ends at one. */
  readonly runs: 'from_stages' | 'in_stages' | 'from_field' | 'until_field';
  /** Those that it begins or runs in. */
  readonly stages: ReadonlySet<string>;
  readonly pauses: ReadonlySet<string>;
  readonly stops: ReadonlySet<string>;
  /** By the value of a field, and else; null is none, as a clock until a field has. */
  readonly budget: { readonly of: ReadonlyMap<string, Duration>; readonly else: Duration | null };
  readonly rungs: readonly Rung[];
  readonly again: 'restart' | 'continue';
}

/** What a clock does at a time on its way. It is known by its `id`, which is its `at` as definitions write it. */
export interface Rung {
  readonly id: string;
  readonly at: RungAt;
  /** After the first time, as often as `times` says. */
  readonly repeat?: { readonly every: Duration; readonly times: number } | undefined;
}

/** A share of the budget, or a duration from its start or from its end, where it may be negative. */
export type RungAt =
  { readonly percent: number } | { readonly from: 'start' | 'end'; readonly after: Duration };

/** Reads `50%`, `100%`, `100% + 8 working_hours`, `2 hours` (from the start), `-2 days` or `+2 days` (from the end). */
export function parseRungAt(text: string): Parsed<RungAt> {
  const [, percent] = /^(\d{1,3})%$/.exec(text) ?? [];
  if (percent !== undefined) return percentOf(Number(percent));
  const [, sign, rest = text] = /^(?:100% ?)?([+-]) ?(.+)$/.exec(text) ?? [];
  if (/%/.test(rest) || /^100% ?-/.test(text))
    return refused(`is none of 50%, 100%, 100% + 2 hours, 2 hours, -2 days and +2 days: ${text}`);
  const { value, refusals } = parseDuration(rest);
  if (refusals) return { refusals };
  const after = { ...value, amount: sign === '-' ? -value.amount : value.amount };
  return { value: { from: sign === undefined ? 'start' : 'end', after } };
}

function percentOf(percent: number): Parsed<RungAt> {
  return percent > 0 && percent <= 100
    ? { value: { percent } }
    : refused(`is not 1% to 100%: ${percent}%; later is 100% + 2 hours, or what it may be`);
}

/** Whether a clock that has an end and no budget may have a rung there. */
export function isFromEnd(at: RungAt): boolean {
  return 'percent' in at ? at.percent === 100 : at.from === 'end';
}

/** The instant that a date means: its beginning, its end, or a time of day in milliseconds. */
export function momentOfDate(zone: Zone, date: string, at: 'beginning' | 'end' | number): number {
  const day = Date.parse(date) / DAY;
  if (typeof at === 'number') return instantOf(zone, day * DAY + at);
  return beginningOfDay(zone, at === 'end' ? day + 1 : day);
}

export type ClockState = 'running' | 'paused' | 'met' | 'breached' | 'cancelled';

/** A stay in a stage that pauses. */
export interface ClockPause {
  readonly stage: string;
  readonly from: number;
  readonly to: number | null;
}

/** What is known of a clock of a task. Of what it has consumed only the part before `countedFrom` is written down. */
export interface ClockRow {
  /** The version of the task with which it began. */
  readonly visit: number;
  /** The version of the task that it has taken in. */
  readonly taskVersion: number;
  readonly startedAt: number;
  readonly countedFrom: number;
  readonly consumed: Readonly<Record<Measure, number>>;
  /** The last 100. */
  readonly pauses: readonly ClockPause[];
  readonly budget: Duration | null;
  /** Of a clock until a field. */
  readonly due: number | null;
  /** When its budget, its field or its definition was changed last: what that made late is not late for longer. */
  readonly changedAt: number;
  /** How often each rung has fired, or was missed or skipped. */
  readonly done: Readonly<Record<string, number>>;
  readonly state: ClockState;
  readonly endedAt: number | null;
}

/** A task after one of its events, as far as a clock looks at it. */
export interface ClockEvent {
  readonly at: number;
  readonly version: number;
  /** Equal where the stage did not change; `from` is null on creation, `to` when the task was deleted. */
  readonly stage: { readonly from: string | null; readonly to: string | null };
  /** What the budget's field holds. */
  readonly budgetValue: string | null;
  /** The instant that the field of `starts` or `due` means. */
  readonly moment: number | null;
}
