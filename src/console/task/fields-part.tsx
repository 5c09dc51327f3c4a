import { plural } from '../../common/wording.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { type Property } from '../../workflows/fields/property.js';
import { StageBadge } from '../parts/badge.js';
import { Control } from '../parts/control.js';
import { useFault, RequiredMark } from '../parts/labelled.js';
import { ButtonForm, Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { LongTextValue } from '../parts/markdown.js';
import { Reason } from '../parts/sayings.js';
import { Somebody, Value } from '../parts/value.js';
import { Section } from '../parts/section.js';
import { labelOf } from '../task-shown.js';
import {
  askedBy,
  editingOf,
  editPath,
  type FieldProps,
  isBlankValue,
  isRequiredField,
  placeOfTask,
  shownValueOf,
  type TaskPageView,
  useTask,
  isMissing,
} from './task-view.js';
import { Files } from './files-part.js';
import { titleProperty } from '../../workflows/fields/task-title.js';
import { stateOfTask } from '../../tasks/store/task-row.js';

/**
 * The fields of a task. A blank field may be folded if it is not required and the next action does not need
 * it. If at least LEAST_FOLDED fields may be folded, these are folded.
 */
export function Fields(): VNode {
  const view = useTask();
  const { schema } = view.scope.workflow;
  const title = titleProperty(schema.properties);
  const own = schema.properties.filter(
    (each) => each.view !== undefined && each.filter?.subject.of !== 'unique-value',
  );
  const ordered = own.toSorted((one, other) => Number(other === title) - Number(one === title));
  // Users can drop files only on a visible field, so file fields are never folded.
  const isEmpty = (property: Property): boolean =>
    !property.files &&
    isBlankField(property, view) &&
    !isRequiredField(schema, property) &&
    !isMissing(view, property);
  const empty = ordered.filter(isEmpty);
  const isFolded = empty.length >= LEAST_FOLDED;
  return (
    <Section id="fields" title="Details">
      <Rows properties={isFolded ? ordered.filter((one) => !isEmpty(one)) : ordered} />
      {isFolded && (
        <details class="stack" id="empty-fields" open={empty.some(({ name }) => name === view.edit)}>
          <summary>{plural(empty.length, 'empty field')}</summary>
          <Rows properties={empty} />
        </details>
      )}
    </Section>
  );
}

const LEAST_FOLDED = 3;

function Rows({ properties }: { readonly properties: readonly Property[] }): VNode {
  return (
    <div class="fields">
      {properties.map((property) =>
        property.files ? <Files property={property} /> : <FieldRow property={property} />,
      )}
    </div>
  );
}

export function FieldRow({ property }: FieldProps): VNode {
  const view = useTask();
  const ask = askedBy(property, view.scope, view.task);
  const { isOpen, why } = editingOf(view, property);
  const label = labelOf(property.name);
  return (
    <FieldFrame property={property} ask={ask} look={isLong(property) ? 'field long' : 'field'}>
      <span class="field-name">
        {label}
        {isRequiredField(view.scope.workflow.schema, property) && <RequiredMark />}
      </span>
      <span class="field-value">
        {(why === undefined || !isBlankField(property, view)) && <FieldValue property={property} />}
        {why !== undefined && <Reason text={why} />}
      </span>
      {ask && isOpen && (
        <a class="button quiet sign field-edit" href={editPath(view, property)} aria-label={`Edit: ${label}`}>
          <Icon name="edit" />
        </a>
      )}
    </FieldFrame>
  );
}

/**
 * Shows the form for the value if the reader edits the value, or if the value is missing and the reader may
 * enter one. Otherwise shows the children.
 */
export function FieldFrame({ property, ask, look, children }: FieldFrameProps): VNode {
  const view = useTask();
  const place = placeOfTask(property);
  const { sent } = useFault(`${place}-value`);
  const isEdited = view.edit === property.name;
  // A refused value stays in its editor, even if the stage has locked the field meanwhile.
  const isEntered = editingOf(view, property).isOpen
    ? isEdited || isMissing(view, property)
    : view.isEditable && isEdited && sent !== undefined;
  return (
    <turbo-frame id={place} class={look}>
      {isEntered && ask ? <EntryForm property={property} ask={ask} isMissing={!isEdited} /> : children}
      {isEntered && !isEdited && property.filter?.subject.of === 'assignee' && (
        <ButtonForm
          action={view.path}
          fields={{ ...heldFields(property, view), value: view.reader.user.email }}
        >
          Assign to me
        </ButtonForm>
      )}
    </turbo-frame>
  );
}

interface FieldFrameProps extends FieldProps {
  readonly ask: AskedField | undefined;
  readonly look: string;
  readonly children: ComponentChildren;
}

const isLong = ({ view }: Property): boolean => view?.show.as === 'lines';

function FieldValue({ property }: FieldProps): VNode {
  const view = useTask();
  const value = shownValueOf(property, view);
  if (property.filter?.subject.of === 'stage')
    return <StageBadge of={view.scope.workflow} id={view.task.stageId} />;
  if (property.filter?.subject.of === 'assignee')
    return typeof value === 'string' ? <Somebody email={value} /> : <span class="muted">Nobody</span>;
  if ((value !== false && isBlankValue(value)) || !property.view)
    return (
      <span class="muted" aria-label="None">
        –
      </span>
    );
  if (property.view.show.as === 'lines' && typeof value === 'string')
    return <LongTextValue text={value} formatted={view.formatted} />;
  return <Value show={property.view.show} value={value} />;
}

/**
 * The form for the value of a property. With `isMissing`, the page shows this form because the next action
 * needs the value.
 */
function EntryForm({ property, ask, isMissing }: EntryProps): VNode {
  const view = useTask();
  const { path } = view;
  const isConflict = !isMissing && view.isConflict === true;
  const place = placeOfTask(property);
  const value = shownValueOf(property, view);
  const { isWrong, sent, attributes, fault } = useFault(`${place}-value`);
  return (
    <Form
      action={path}
      class={isMissing ? 'entry missing' : 'entry'}
      data-turbo-frame="_top"
      data-controller="entry"
      data-action="keydown->entry#key"
    >
      <label class="field-name" for={`${place}-value`}>
        {labelOf(property.name)}
      </label>
      <Hidden fields={heldFields(property, view)} />
      {isConflict && (
        <div class="notice waiting" role="alert">
          <Icon name="warning" /> The value has changed since you opened this form. It is now:{' '}
          <div>
            <FieldValue property={property} />
          </div>
        </div>
      )}
      <Control
        ask={ask}
        value={sent ?? value}
        id={`${place}-value`}
        autofocus={!isMissing && !isWrong && !isConflict}
        {...attributes}
      />
      {fault}
      <div class="actions">
        <button
          type="submit"
          class={isMissing ? '' : 'primary'}
          {...(isMissing && { 'aria-label': `Save: ${labelOf(property.name)}` })}
        >
          {isConflict ? 'Save my value' : 'Save'}
        </button>
        {!isMissing && (
          <a class="button quiet" href={path} data-entry-target="cancel">
            Cancel
          </a>
        )}
      </div>
    </Form>
  );
}

/** Hidden fields: the name of the property, the version of the task, and the value that the form replaces. */
const heldFields = (property: Property, view: TaskPageView) => ({
  name: property.name,
  version: stateOfTask(view.task),
  was: JSON.stringify(shownValueOf(property, view)),
});

interface EntryProps extends FieldProps {
  readonly ask: AskedField;
  readonly isMissing: boolean;
}

const isBlankField = (property: Property, view: TaskPageView): boolean =>
  isBlankValue(shownValueOf(property, view));
