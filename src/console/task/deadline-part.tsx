import { clocks } from '../../automation/clocks/clocks.kind.js';
import { type VNode } from 'preact';
import { type ShownClock } from '../../automation/clocks/clock.dto.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { todayIn } from '../../common/calendar.js';
import { dueDay, dueInWords, OverdueBadge } from '../parts/due.js';
import { writeDay, writeInstant } from '../parts/time.js';
import { useReader } from '../reader.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { useTask } from './task-view.js';

/** The deadline that comes first, in a line; a task at an end has none. */
export function Deadline(): VNode | null {
  const view = useTask();
  const { clocks, scope, task } = view;
  const clock = firstOf(clocks);
  if (!clock || scope.workflow.schema.stages.get(task.stageId).isEnd) return null;
  const stages = clock.state === 'running' ? pausesOf(scope.workflow, clock) : [];
  return (
    <p class={clock.overdue ? 'deadline late' : 'deadline'}>
      {clock.overdue ? <OverdueBadge /> : <Icon name="clock" />}
      <span>
        <strong>{clock.id}</strong>{' '}
        {clock.state === 'running' && clock.due_at !== null ? (
          <Due at={new Date(clock.due_at)} isLate={clock.overdue} />
        ) : (
          <Sayings all={[said(clock.why)]} />
        )}
        {stages.length > 0 && `; pauses in ${stages.join(', ')}`}
      </span>
    </p>
  );
}

/** When it is due, and how far away that is, in the days of the calendar as all pages count them. */
function Due({ at, isLate }: { readonly at: Date; readonly isLate: boolean }): VNode {
  const reader = useReader();
  const { locale, timeZone } = reader;
  const day = dueDay(timeZone, at);
  // What ends with its day, at midnight, has no time of it.
  const written = todayIn(timeZone, at) === day ? writeInstant(at, reader) : writeDay(day, locale, 'medium');
  const words = dueInWords(reader, { day, dueAt: at, isLate });
  return (
    <>
      {isLate ? `was due ${written}, ` : 'due '}
      <time dateTime={at.toISOString()} title={written}>
        {words}
      </time>
    </>
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
