import { type VNode } from 'preact';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { StageBadge } from '../parts/badge.js';
import { Control } from '../parts/control.js';
import { useFault } from '../parts/fault.js';
import { ButtonForm, Form, Hidden } from '../parts/form.js';
import { useReader } from '../reader.js';
import { Icon } from '../parts/icon.js';
import { LongTextValue } from '../parts/markdown.js';
import { Reason } from '../parts/sayings.js';
import { RequiredMark } from '../parts/labelled.js';
import { Somebody, Value } from '../parts/value.js';
import { labelOf } from '../task-shown.js';
import {
  askedBy,
  editPath,
  type FieldProps,
  type TaskPageEntry,
  keptOf,
  placeOfTask,
  type TaskPageView,
} from './task-view.js';
import { isMissing } from './next-action.js';
import { isBlankValue, shownValueOf } from './shown-value.js';
import { stateOfTask } from '../../tasks/store/task-row.js';

/** A key of a task with its value, or the form that asks for one. */
export function FieldRow({ view, property }: FieldProps): VNode {
  const { scope, entry } = view;
  const place = placeOfTask(property);
  const ask = askedBy(property, scope, view.task);
  const isKept = keptOf(view, property) !== undefined;
  const isMet = !isKept && view.isEditable && isMissing(view, property);
  const asked =
    entry?.name === property.name ? entry : isMet ? { name: property.name, messages: [] } : undefined;
  // A refused text stays in its editor, even if the stage has locked the field since.
  const isEntered = view.isEditable && asked !== undefined && (!isKept || asked.sent !== undefined);
  return (
    <turbo-frame id={place} class={isLong(property) ? 'field long' : 'field'}>
      {isEntered && ask ? (
        <EntryForm view={view} property={property} ask={ask} entry={asked} isMissing={asked !== entry} />
      ) : (
        <ShownField view={view} property={property} isAsked={ask !== undefined} />
      )}
    </turbo-frame>
  );
}

/** Whether its value takes the whole width. */
const isLong = ({ view }: Property): boolean => view?.show.as === 'lines';

function ShownField({ view, property, isAsked }: FieldProps & { readonly isAsked: boolean }): VNode {
  const { scope } = view;
  const kept = keptOf(view, property);
  const isOffered = isAsked && view.isEditable && kept === undefined;
  return (
    <>
      <span class="field-name">
        {labelOf(property.name)}
        {isRequiredField(scope.workflow.schema, property) && <RequiredMark />}
      </span>
      <span class="field-value">
        <FieldValue view={view} property={property} />
        {view.isEditable && kept !== undefined && <Reason text={kept} />}
      </span>
      {isOffered && (
        <a
          class="button quiet field-edit"
          href={editPath(view, property)}
          aria-label={`Edit: ${labelOf(property.name)}`}
        >
          <Icon name="edit" />
        </a>
      )}
    </>
  );
}

function FieldValue({ view, property }: FieldProps): VNode {
  const { scope, task } = view;
  const { stages } = scope.workflow.schema;
  const value = shownValueOf(property, view);
  if (property.filter?.subject.of === 'stage') {
    const stage = stages.get(task.stageId);
    return <StageBadge stage={stage} place={stages.all.indexOf(stage)} count={stages.all.length} />;
  }
  if (property.filter?.subject.of === 'assignee')
    return typeof value === 'string' ? <Somebody email={value} /> : <span class="muted">Nobody</span>;
  if ((value !== false && isBlankValue(value)) || !property.view)
    return (
      <span class="muted" aria-label="None">
        –
      </span>
    );
  if (property.view.show.as === 'lines' && typeof value === 'string')
    return (
      <LongTextValue
        text={value}
        formatted={view.formatted}
        whole={`${view.path}/texts/${encodeURIComponent(property.name)}`}
      />
    );
  return <Value show={property.view.show} value={value} />;
}

/** Asks for the value of a key; of one that is missing without being asked to. */
export function EntryForm({ view, property, ask, entry, isMissing = false }: EntryProps): VNode {
  const { path, task } = view;
  const reader = useReader();
  const place = placeOfTask(property);
  const value = shownValueOf(property, view);
  const { isWrong, attributes, fault } = useFault(`${place}-value`);
  const fields = { name: property.name, version: stateOfTask(task), was: JSON.stringify(value) };
  return (
    <>
      <Form
        action={path}
        class={isMissing ? 'entry missing' : 'entry'}
        data-turbo-frame="_top"
        data-turbo-action="replace"
        data-controller="entry"
        data-action="keydown->entry#key"
      >
        <label class="field-name" for={`${place}-value`}>
          {labelOf(property.name)}
        </label>
        <Hidden fields={fields} />
        {entry.isConflict && (
          <div class="notice waiting" role="alert">
            <Icon name="warning" /> Somebody changed this since you opened it. It is now:{' '}
            <div>
              <FieldValue view={view} property={property} />
            </div>
          </div>
        )}
        <Control
          ask={ask}
          value={entry.sent ?? value}
          id={`${place}-value`}
          autofocus={!isMissing && !isWrong && entry.isConflict !== true}
          {...attributes}
        />
        {fault}
        <div class="actions">
          <button
            type="submit"
            class={isMissing ? '' : 'primary'}
            {...(isMissing && { 'aria-label': `Save: ${labelOf(property.name)}` })}
          >
            {entry.isConflict ? 'Save my value' : 'Save'}
          </button>
          {!isMissing && (
            <a class="button quiet" href={path} data-entry-target="cancel">
              Cancel
            </a>
          )}
        </div>
      </Form>
      {isMissing && property.filter?.subject.of === 'assignee' && (
        <ButtonForm action={path} fields={{ ...fields, value: reader.user.email }}>
          Assign to me
        </ButtonForm>
      )}
    </>
  );
}

interface EntryProps extends FieldProps {
  readonly ask: AskedField;
  readonly entry: TaskPageEntry;
  /** Whether it is the next action that asks. */
  readonly isMissing?: boolean;
}

export const isBlankField = (property: Property, view: Pick<TaskPageView, 'task'>): boolean =>
  isBlankValue(shownValueOf(property, view));

export function isRequiredField({ required }: TaskSchema, { fieldId }: Property): boolean {
  return fieldId !== undefined && required.has(fieldId);
}
