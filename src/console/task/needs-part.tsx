import { useReader } from '../reader.js';
import { english } from '../../lib/message.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type Unmet } from '../../actions/requirement.js';
import { type AskedField } from '../../schema/field-type.js';
import { type Property } from '../../schema/property.js';
import { Control } from '../parts/control.js';
import { ButtonForm, Faults, Form, Hidden } from '../parts/form.js';
import { labelOf } from '../task-shown.js';
import { stateOfTask } from '../../task-store/task-row.js';
import { isOpenItem, itemsOfStage, Tick } from './checklist-part.js';
import { isBlankValue, shownValueOf } from './field-part.js';
import { FileChooser } from './files-part.js';
import { askedBy, editPath, type FieldProps, keptOf, placeOfTask, type TaskPageView } from './task-view.js';

/** Where forms of the panel lead back to. */
export const PANEL = 'next-action';

/** What an action still needs, each to be met where it stands. */
export function Needs({ view, unmet }: NeedsProps): VNode {
  return (
    <ul class="needs stack gap-1">
      {unmet.map((reason, at) => (
        <Need view={view} reason={reason} at={at} />
      ))}
    </ul>
  );
}

interface NeedsProps {
  readonly view: TaskPageView;
  readonly unmet: readonly Unmet[];
}

interface NeedProps {
  readonly view: TaskPageView;
  readonly reason: Unmet;
  readonly at: number;
}

function Need({ view, reason, at }: NeedProps): VNode {
  const property = propertyOf(view, reason);
  const text = english(reason.message);
  if (reason.isOfChecklist) return <OpenItems view={view} text={text} />;
  if (!property || !view.isEditable || keptOf(view, property))
    return <Row id={`need-${at}`} why={<NeedReason view={view} reason={reason} />} />;
  if (property.files) return <MissingFile view={view} property={property} text={text} />;
  const ask = askedBy(property, view.scope, view.task);
  if (ask) return <MissingValue view={view} property={property} text={text} ask={ask} at={at} />;
  return <Row id={`need-${at}`} why={<NeedReason view={view} reason={reason} />} />;
}

const propertyOf = ({ scope }: TaskPageView, { about = '' }: Unmet): Property | undefined =>
  scope.workflow.schema.byName.get(about);

/** Why an action is not possible, leading to what would make it so. */
export function NeedReason({ view, reason }: Omit<NeedProps, 'at'>): VNode {
  // What stays as it is may be the definition's own, in its own language.
  const text = english(reason.message);
  const property = propertyOf(view, reason);
  if (reason.isOfChecklist) return <a href="#checklist">{text}</a>;
  if (reason.isOfApprovals) return <a href="#approvals">Approvals are missing</a>;
  if (!property) return <span>{text}</span>;
  const place = placeOfTask(property);
  const isInFrame = property.files === undefined && property.links === undefined;
  return isInFrame ? (
    <a href={editPath(view, property)} data-turbo-frame={place}>
      {text}
    </a>
  ) : (
    <a href={`#${place}`}>{text}</a>
  );
}

function Row({ id, why, children }: RowProps): VNode {
  return (
    <li class="need stack" id={id}>
      <div class="need-why">{why}</div>
      {children}
    </li>
  );
}

interface RowProps {
  readonly id: string;
  readonly why: ComponentChildren;
  readonly children?: ComponentChildren;
}

interface OfProperty extends FieldProps {
  readonly text: string;
}

interface AskedProps extends OfProperty {
  readonly ask: AskedField;
}

/** A value to be entered: at once where there is none, on demand where there is another one than it takes. */
function MissingValue({ view, property, text, ask, at }: AskedProps & { readonly at: number }): VNode {
  const id = `need-${at}-${placeOfTask(property)}`;
  const value = shownValueOf(property, view);
  if (isBlankValue(value))
    return (
      <Row id={id} why={<label for={`${id}-value`}>{text}</label>}>
        <ValueForm view={view} property={property} ask={ask} id={id} />
      </Row>
    );
  return (
    <li class="need stack" id={id}>
      <details class="need-why" open={entryIn(view, property) !== undefined}>
        <summary>{text}</summary>
        <label class="muted small" for={`${id}-value`}>
          {labelOf(property.name)}
        </label>
        <ValueForm view={view} property={property} ask={ask} id={id} />
      </details>
    </li>
  );
}

/** What was entered there and refused. */
const entryIn = ({ entry }: TaskPageView, { name }: Property): TaskPageView['entry'] =>
  entry?.isInPanel && entry.name === name ? entry : undefined;

function ValueForm({ view, property, ask, id }: Omit<AskedProps, 'text'> & { readonly id: string }): VNode {
  const reader = useReader();
  const { path, task } = view;
  const entry = entryIn(view, property);
  const value = shownValueOf(property, view);
  const sent = { name: property.name, version: stateOfTask(task), was: JSON.stringify(value), panel: 'yes' };
  const isOfAssignee = property.filter?.subject.of === 'assignee';
  return (
    <>
      {isOfAssignee && (
        <ButtonForm action={path} fields={{ ...sent, value: reader.user.email }}>
          Assign to me
        </ButtonForm>
      )}
      <Form action={path} class="add" data-turbo-action="replace">
        <Hidden fields={sent} />
        <Control
          ask={ask}
          value={entry?.sent ?? value}
          id={`${id}-value`}
          autofocus={entry !== undefined}
          {...(entry && { 'aria-invalid': true, 'aria-describedby': `${id}-fault` })}
        />
        <button type="submit" aria-label={`Save: ${labelOf(property.name)}`}>
          Save
        </button>
        <Faults id={`${id}-fault`} messages={entry?.messages ?? []} />
      </Form>
    </>
  );
}

function MissingFile({ view, property, text }: OfProperty): VNode {
  const id = `need-${placeOfTask(property)}`;
  return (
    <Row id={id} why={<label for={`${id}-file`}>{text}</label>}>
      <FileChooser view={view} property={property} id={id} isLabelled />
    </Row>
  );
}

/** The items of the stage that are open: what is ticked goes, and the next one takes its place. */
function OpenItems({ view, text }: Omit<OfProperty, 'property'>): VNode {
  const items = itemsOfStage(view);
  const open = items.filter(isOpenItem);
  return (
    <Row
      id="need-checklist"
      why={
        <>
          {text}{' '}
          <span class="count">
            {items.length - open.length} of {items.length} done
          </span>
        </>
      }
    >
      <ul class="checklist">
        {open.map((item) => (
          <li class="item line blank">
            <Tick view={view} item={item} isInPanel />
          </li>
        ))}
      </ul>
    </Row>
  );
}
