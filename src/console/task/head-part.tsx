import { type VNode } from 'preact';
import { type Message } from '../../common/message.js';
import { type Stage } from '../../workflows/fields/task-schema.js';
import { byActionsOnly, mayMove } from '../../workflows/model/allowed.js';
import { StageBadge } from '../parts/badge.js';
import { Reason, Sayings } from '../parts/sayings.js';
import { labelOf } from '../task-shown.js';
import { FieldFrame } from './fields-part.js';
import { askedBy, editPath, keptOf, stageOf, type TaskPageView, useTask } from './task-view.js';
import { type ShownClock } from '../../automation/clocks/clock.dto.js';
import { todayIn } from '../../common/calendar.js';
import { dueDay, dueInWords } from '../parts/due.js';
import { writeDay, writeInstant } from '../parts/time.js';
import { useReader } from '../reader.js';
import { Icon } from '../parts/icon.js';

/** The stages and the task's place among them, with a link to move the task by hand. */
export function StageTrack(): VNode | null {
  const view = useTask();
  const { scope, task, isEditable } = view;
  const property = scope.workflow.schema.byName.get('Stage');
  if (!property) return null;
  const why = isEditable ? (keptOf(view, property) ?? movedByActions(view)) : undefined;
  const isMovable = isEditable && why === undefined && othersOf(view).length > 0;
  const ask = isMovable ? askedBy(property, scope, task) : undefined;
  return (
    <FieldFrame property={property} ask={ask} look="field track-field">
      <span class="field-name visually-hidden">{labelOf(property.name)}</span>
      <Track />
      {ask && (
        <a class="button quiet small" href={editPath(view, property)}>
          Move by hand
        </a>
      )}
      {why !== undefined && <Reason text={why} />}
    </FieldFrame>
  );
}

const othersOf = ({ scope, task }: TaskPageView): Stage[] =>
  scope.workflow.schema.stages.all.filter(({ id }) => id !== task.stageId);

/** Why the reader may not move the task without an action; undefined if the reader may. */
function movedByActions(view: TaskPageView): Message | undefined {
  if (!mayMove(view.scope, view.task)) return byActionsOnly;
  const others = othersOf(view);
  const isFree = others.length === 0 || others.some(({ enter }) => enter === 'freely');
  return isFree ? undefined : 'Tasks can move to another stage of this workflow only by actions.';
}

function Track(): VNode {
  const view = useTask();
  const { workflow } = view.scope;
  const { stages } = workflow.schema;
  const here = stageOf(view);
  const at = stages.all.indexOf(here);
  // Leaves out stages for dropped tasks, except the task's own stage. If the task was dropped, leaves out all
  // other end stages.
  const isBeside = (stage: Stage): boolean =>
    stage !== here && stage.isEnd && [stage, here].some(({ outcome }) => outcome === 'dropped');
  return (
    <ol class="track line" aria-label="Stages">
      {stages.all.map((stage, place) =>
        isBeside(stage) ? null : (
          <li
            class={stage === here ? 'field-value' : place < at ? 'past' : 'ahead'}
            {...(stage === here && { 'aria-current': 'step' })}
          >
            <StageBadge of={workflow} id={stage.id} />
          </li>
        ),
      )}
    </ol>
  );
}

/**
 * The earliest deadline, or why there is none at present. Null if no clock of the task is running or paused,
 * or if the task is in an end stage.
 */
export function Deadline(): VNode | null {
  const view = useTask();
  const clock = firstOf(view.clocks);
  if (!clock || stageOf(view).isEnd) return null;
  const isRunning = clock.state === 'running';
  return (
    <p class={clock.overdue ? 'deadline late' : 'deadline'}>
      <Icon name={clock.overdue ? 'warning' : 'time'} />
      <span>
        <strong>{clock.id}</strong>{' '}
        {isRunning && clock.due_at !== null ? (
          <Due at={new Date(clock.due_at)} isLate={clock.overdue} />
        ) : (
          <Sayings all={[clock.why]} />
        )}
      </span>
    </p>
  );
}

/** The deadline, and how soon or how late it is. */
function Due({ at, isLate }: { readonly at: Date; readonly isLate: boolean }): VNode {
  const reader = useReader();
  const { locale, timeZone } = reader;
  const day = dueDay(timeZone, at);
  // A deadline at midnight is the end of the day, and is shown without a time.
  const written = todayIn(timeZone, at) === day ? writeInstant(at, reader) : writeDay(day, locale, 'medium');
  const words = dueInWords(reader, at, isLate);
  return (
    <>
      {isLate ? `was due ${written}, ` : 'due '}
      <time dateTime={at.toISOString()} title={written}>
        {words}
      </time>
    </>
  );
}

/** The running or paused clock with the earliest deadline. Clocks without a deadline come last. */
function firstOf(clocks: readonly ShownClock[]): ShownClock | undefined {
  const open = clocks.filter(({ state }) => state === 'running' || state === 'paused');
  // With Infinity, the difference of two clocks without a deadline would be NaN.
  const endOf = ({ due_at }: ShownClock): number => (due_at === null ? Number.MAX_VALUE : Date.parse(due_at));
  return open.toSorted((one, other) => endOf(one) - endOf(other))[0];
}
