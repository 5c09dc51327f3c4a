import { type Output, type AskedField } from '../../workflows/fields/field-type.js';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { blankTask, type TaskView } from '../../workflows/fields/task-view.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { mayLinkTo } from '../../workflows/model/allowed.js';
import { type SentValues } from '../parts/control.js';
import { type NamedControl } from '../parts/notices.js';
import { type SignedIn } from '../reader.js';
import { titleProperty } from '../../workflows/fields/task-title.js';
import { labelOf } from '../task-shown.js';
import { askedBy, guardOf, isRequiredField, shownValueOf } from '../task/task-view.js';
import { type Scope } from '../../workflows/model/scope.js';

/** A question on the page for a new task. It asks for the value of a property, or for a linked task. */
export interface NewTaskQuestion extends NamedControl {
  readonly property: Property;
  /** For a relationship, the control asks for the Unique ID of a task. */
  readonly ask: AskedField;
  readonly isRequired: boolean;
  /** Whether the question is optional and may be folded. */
  readonly isMore: boolean;
  readonly hint?: string | undefined;
}

/**
 * The questions in order: title and required properties; stage and assignee; other properties that users may
 * set; relationships. Leaves out a relationship if the linked tasks have no Unique ID, or if the reader may
 * not link them.
 */
export function newTaskQuestions(scope: Scope): NewTaskQuestion[] {
  const { schema } = scope.workflow;
  const open = schema.properties.filter((property) => guardOf(schema, property)?.creating === undefined);
  const linked = open.filter(({ links }) => {
    const link = links?.uniqueId() === undefined ? undefined : schema.links.get(links.side);
    return link && mayLinkTo(scope, link.otherWorkflowId);
  });
  return [
    ...keysIn(scope, open).map((key, at) => ({ ...key, ...namedControl(key.property, `new-${at}`) })),
    ...linked.map((property, at) => ({
      ...namedControl(property, `new-link-${at}`),
      property,
      ask: { by: 'line', maxLength: 255 } as const,
      hint: `The ${property.links?.uniqueId() ?? ''} of a task.`,
      isRequired: false,
      isMore: true,
    })),
  ];
}

const namedControl = ({ name }: Property, id: string) => ({ id, name, label: labelOf(name) });

function keysIn(scope: Scope, open: readonly Property[]) {
  const { schema } = scope.workflow;
  const title = titleProperty(schema.properties);
  const place = ['Stage', 'Assigned To'].flatMap((name) => schema.byName.get(name) ?? []);
  const keys = open.flatMap((property) => {
    const isId = property.filter?.subject.of === 'unique-value';
    const ask = isId || property.files ? property.view?.ask : askedBy(property, scope);
    const rules = isId ? rulesOfId(schema) : { isRequired: isRequiredField(schema, property) };
    const isMore = !rules.isRequired && property !== title && !place.includes(property);
    return ask ? [{ property, ask, isMore, ...rules }] : [];
  });
  const rankOf = ({ property, isMore }: (typeof keys)[number]): number =>
    property === title ? -2 : place.indexOf(property) + (isMore ? place.length + 1 : 0);
  return keys.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rulesOfId({ uniqueId }: TaskSchema): Pick<NewTaskQuestion, 'isRequired' | 'hint'> {
  const isNumbered = uniqueId?.autoincrement === true;
  const isRequired = uniqueId?.required === true && !isNumbered;
  const hint = isNumbered ? 'If left blank, the task gets the next number.' : 'May be left blank.';
  return { isRequired, hint: isRequired ? undefined : hint };
}

/** Makes entries of a payload from the entered values. Leaves out missing values and blank links. */
export function creationPayload(entered: Entered, questions: readonly NewTaskQuestion[]): [string, Json][] {
  return questions.flatMap(({ name, property: { links } }) => {
    const value = entered.get(name);
    const isBlank = value === undefined || (links && String(value).trim() === '');
    return isBlank ? [] : [[name, links ? referenceTo(value, links) : value]];
  });
}

type Entered = ReadonlyMap<string, SentValues>;

function referenceTo(id: SentValues, links: NonNullable<Property['links']>): Json {
  const reference = new Map([[links.uniqueId() ?? '', String(id).trim()]]);
  return links.isMultiple ? [reference] : reference;
}

/**
 * Returns a function that gives the default of a property. A reader who sees only assigned tasks is the
 * default assignee.
 */
export function initially(
  reader: SignedIn,
  { workflow: { schema }, bound }: Scope,
): (property: Property) => Output {
  const assigneeId = bound?.permissions.sees === 'assigned' ? reader.user.id : null;
  const task: TaskView = {
    ...blankTask,
    stageId: schema.stages.initial.id,
    assigneeId,
    fieldValues: Object.fromEntries(schema.defaults),
    linked: [],
  };
  return (property) => shownValueOf(property, { task });
}
