import { type VNode } from 'preact';
import { type Message } from '../../common/message.js';
import { type Stage } from '../../workflows/fields/task-schema.js';
import { byActionsOnly, mayMove } from '../../workflows/model/allowed.js';
import { StageBadge } from '../parts/badge.js';
import { Reason } from '../parts/sayings.js';
import { labelOf } from '../task-shown.js';
import { EntryForm } from './fields-part.js';
import {
  askedBy,
  editPath,
  keptOf,
  placeOfTask,
  type TaskPageView,
  useTask,
  type FieldProps,
} from './task-view.js';

/** The way of a task through its stages, and where it stands; stages in which tasks are dropped are shown only to tasks there. */
export function StageTrack(): VNode | null {
  const view = useTask();
  const { scope, task, edit } = view;
  const property = scope.workflow.schema.byName.get('Stage');
  if (!property) return null;
  const kept = view.isEditable ? (keptOf(view, property) ?? movedByActions(view)) : undefined;
  const ask = view.isEditable && !kept && othersOf(view).length > 0 && askedBy(property, scope, task);
  return (
    <turbo-frame id={placeOfTask(property)} class="field track-field">
      {ask && edit === property.name ? (
        <EntryForm property={property} ask={ask} />
      ) : (
        <>
          <span class="field-name visually-hidden">{labelOf(property.name)}</span>
          <Track />
          {ask && <MoveByHand property={property} />}
          {kept !== undefined && <Reason text={kept} />}
        </>
      )}
    </turbo-frame>
  );
}

/** The stages in which the task does not stand. */
const othersOf = ({ scope, task }: TaskPageView): Stage[] =>
  scope.workflow.schema.stages.all.filter(({ id }) => id !== task.stageId);

/** Why nobody moves the task by hand, or not the reader; undefined where they may. */
function movedByActions(view: TaskPageView): Message | undefined {
  if (!mayMove(view.scope, view.task)) return byActionsOnly;
  const others = othersOf(view);
  const isFree = others.length === 0 || others.some(({ enter }) => enter === 'freely');
  return isFree ? undefined : 'Tasks can move to another stage of this workflow only by actions.';
}

function Track(): VNode {
  const { scope, task } = useTask();
  const { stages } = scope.workflow.schema;
  const here = stages.get(task.stageId);
  const at = stages.all.indexOf(here);
  // A dropped task has passed none of the other ends.
  const isBeside = (stage: Stage): boolean =>
    stage !== here && stage.isEnd && [stage, here].some(({ outcome }) => outcome === 'dropped');
  return (
    <ol class="track" aria-label="Stages">
      {stages.all.map((stage, place) =>
        isBeside(stage) ? null : (
          <li
            class={stage === here ? 'field-value' : place < at ? 'past' : 'ahead'}
            {...(stage === here && { 'aria-current': 'step' })}
          >
            <StageBadge of={scope.workflow} id={stage.id} />
          </li>
        ),
      )}
    </ol>
  );
}

function MoveByHand({ property }: FieldProps): VNode {
  return (
    <a class="button quiet small" href={editPath(useTask(), property)}>
      Move by hand
    </a>
  );
}
