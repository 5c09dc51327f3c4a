import { type Clock, type ClockEvent, type ClockRow } from './clock.js';
import { armedBy, foldDefinition, foldEvents } from './fold-clock.js';
import { rungsDue, withRungDone, withRungsDone } from './rungs.js';

/** What happened to a clock, as it was defined then: an event of its task, a rung that was done, or another definition. */
export type ClockStep =
  | { readonly clock: Clock; readonly event: ClockEvent }
  | { readonly clock: Clock; readonly rung: string; readonly dueAt: number }
  | {
      readonly clock: Clock | null;
      readonly former: Clock | null;
      readonly at: number;
      readonly stage: ClockEvent;
    };

/** The row of a clock by all that has happened to it, from the creation of its task on. */
export function replayClock(steps: readonly ClockStep[]): ClockRow | null {
  return steps.reduce<ClockRow | null>(stepped, null);
}

function stepped(row: ClockRow | null, step: ClockStep): ClockRow | null {
  if ('event' in step) return left(step.clock, foldEvents(step.clock, row, [step.event]).at(-1) ?? null);
  if ('rung' in step) return row && withRungDone(step.clock, row, step.rung, step.dueAt);
  const { clock, former, at, stage } = step;
  if (!clock) return null;
  if (!row) return armedBy(clock, stage, at, 'none');
  const { budgetValue } = stage;
  return foldDefinition(former ?? clock, clock, row, { at, budgetValue, fires: false });
}

/** What a clock left behind as it ended was skipped. */
function left(clock: Clock, row: ClockRow | null): ClockRow | null {
  return row?.endedAt == null ? row : withRungsDone(row, rungsDue(clock, row, Infinity, Infinity));
}
