import { type Clock, type ClockEvent, type ClockRow } from './clock.js';
import { armedBy, foldDefinition, foldEvents } from './fold-clock.js';
import { rungsDue, withRungDone, withRungsDone } from './rungs.js';

/** A step in the history of a clock, with its definition then: an event, a rung that fired, or a new definition. */
export type ClockStep =
  | { readonly clock: Clock; readonly event: ClockEvent }
  | { readonly clock: Clock; readonly rung: string; readonly dueAt: number }
  | {
      readonly clock: Clock | null;
      readonly former: Clock | null;
      readonly at: number;
      readonly stage: ClockEvent;
    };

/** Computes the row of a clock from its whole history since its task was created. */
export function replayClock(steps: readonly ClockStep[]): ClockRow | null {
  return steps.reduce<ClockRow | null>(stepped, null);
}

function stepped(row: ClockRow | null, step: ClockStep): ClockRow | null {
  if ('event' in step) return left(step.clock, foldEvents(step.clock, row, [step.event]).at(-1) ?? null);
  if ('rung' in step) return row && withRungDone(step.clock, row, step.rung, step.dueAt);
  const { clock, former, at, stage } = step;
  if (!clock) return null;
  if (!row) return armedBy(clock, stage, at, 'none');
  const { budgetValue, moment } = stage;
  return foldDefinition(former ?? clock, clock, row, { at, budgetValue, moment, fires: false });
}

/** Marks the rungs that a clock left undone when it ended as skipped. */
function left(clock: Clock, row: ClockRow | null): ClockRow | null {
  return row?.endedAt == null ? row : withRungsDone(row, rungsDue(clock, row, Infinity, Infinity));
}
