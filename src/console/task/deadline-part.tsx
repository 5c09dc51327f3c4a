import { clocks } from '../../clocks/clocks.kind.js';
import { type VNode } from 'preact';
import { type ShownClock } from '../../clocks/clock.dto.js';
import { type Workflow } from '../../workspace/workspace.js';
import { OverdueBadge } from '../parts/due.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { type TaskPageView } from './task-view.js';

/** The deadline that comes first, in a line. */
export function Deadline({ view }: { readonly view: TaskPageView }): VNode | null {
  const { clocks, scope } = view;
  const clock = firstOf(clocks);
  if (!clock) return null;
  const stages = clock.state === 'running' ? pausesOf(scope.workflow, clock) : [];
  return (
    <p class={clock.overdue ? 'deadline late' : 'deadline'}>
      {clock.overdue ? <OverdueBadge /> : <Icon name="clock" />}
      <span>
        <strong>{clock.id}</strong> <Sayings all={[said(clock.why)]} />
        {stages.length > 0 && `; pauses in ${stages.join(', ')}`}
      </span>
    </p>
  );
}

/** Of those that have not ended: the one that is due first, else one that is paused. */
function firstOf(clocks: readonly ShownClock[]): ShownClock | undefined {
  const open = clocks.filter(({ state }) => state === 'running' || state === 'paused');
  const endOf = ({ due_at }: ShownClock): number => (due_at === null ? Infinity : Date.parse(due_at));
  // Two that have no end are equal, which their difference would not say.
  return open.toSorted((one, other) =>
    endOf(one) < endOf(other) ? -1 : endOf(one) > endOf(other) ? 1 : 0,
  )[0];
}

/** The stages in which a clock stands still. */
function pausesOf(workflow: Workflow, { id }: ShownClock): readonly string[] {
  return clocks.in(workflow).find((clock) => clock.id === id)?.pauses?.stages ?? [];
}
