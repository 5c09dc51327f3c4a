import { type VNode } from 'preact';
import { type Property } from '../../schema/property.js';
import { StageBadge } from '../parts/badge.js';
import { Reason } from '../parts/sayings.js';
import { labelOf } from '../task-shown.js';
import { EntryForm } from './field-part.js';
import { askedBy, editPath, keptOf, placeOfTask, type TaskPageView } from './task-view.js';

/** The way of a task through its stages, and where it stands; those in which tasks are dropped are no part of the way. */
export function StageTrack({ view }: { readonly view: TaskPageView }): VNode | null {
  const { scope, task, to, entry } = view;
  const property = scope.workflow.schema.byName.get('Stage');
  if (!property) return null;
  const kept = keptOf(view, property);
  const ask = view.isEditable && !kept ? askedBy(property, scope, task) : undefined;
  return (
    <turbo-frame id={placeOfTask(property)} class="field track-field">
      {ask && entry?.name === property.name ? (
        <EntryForm view={view} property={property} ask={ask} entry={entry} />
      ) : (
        <>
          <span class="field-name visually-hidden">{labelOf(to, property.name)}</span>
          <Track view={view} />
          {ask && <MoveByHand view={view} property={property} />}
          {view.isEditable && kept !== undefined && <Reason to={to} text={kept} />}
        </>
      )}
    </turbo-frame>
  );
}

function Track({ view: { scope, task, to } }: { readonly view: TaskPageView }): VNode {
  const { stages } = scope.workflow.schema;
  const at = stages.all.findIndex(({ id }) => id === task.stageId);
  return (
    <ol class="track" aria-label={to.words.onTask.stages}>
      {stages.all.map((stage, place) =>
        place !== at && stage.isEnd && stage.outcome === 'dropped' ? null : (
          <li
            class={place === at ? 'field-value' : place < at ? 'past' : 'ahead'}
            {...(place === at && { 'aria-current': 'step' })}
          >
            <StageBadge stage={stage} place={place} count={stages.all.length} />
          </li>
        ),
      )}
    </ol>
  );
}

function MoveByHand({ view, property }: { readonly view: TaskPageView; readonly property: Property }): VNode {
  return (
    <a class="button quiet small" href={editPath(view, property)}>
      {view.to.words.onTask.moveByHand}
    </a>
  );
}
