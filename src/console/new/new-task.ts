import { type Output, type AskedField } from '../../workflows/fields/field-type.js';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { blankTask, type TaskView } from '../../workflows/fields/task-view.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { mayLinkTo } from '../../workflows/model/allowed.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type SentValues, sentValue, type WayOfWriting } from '../parts/control.js';
import { type SignedIn } from '../reader.js';
import { titleProperty } from '../../workflows/fields/serialize-task.js';
import { isRequiredField } from '../task/fields-part.js';
import { askedBy, guardOf, shownValueOf } from '../task/task-view.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface AskedKey {
  readonly property: Property;
  readonly ask: AskedField;
  readonly isRequired: boolean;
  /** Whether the key is optional and folded. */
  readonly isMore: boolean;
  /** Whether it is the Unique ID, and what a blank one becomes. */
  readonly blankId?: 'numbered' | 'none' | undefined;
}

/** The relationships in the form: those to workflows whose tasks have Unique IDs and may be linked. */
export function linksOf(scope: Scope): Property[] {
  const { properties, links: sides } = scope.workflow.schema;
  return properties.filter((property) => {
    const link = property.links?.uniqueId() === undefined ? undefined : sides.get(property.links.side);
    return link && !isBarred(scope.workflow, property) && mayLinkTo(scope, link.otherWorkflowId);
  });
}

/** Whether only actions may set the key. */
export const isBarred = ({ schema }: Workflow, property: Property): boolean =>
  guardOf(schema, property)?.creating !== undefined;

export type EnteredLinks = ReadonlyMap<string, readonly string[]>;

export function linkedIn(from: URLSearchParams, scope: Scope): EnteredLinks {
  const named = linksOf(scope).map(({ name }) => [name, from.getAll(name).map((id) => id.trim())] as const);
  return new Map(
    named.map(([name, ids]) => [name, ids.filter(Boolean)] as const).filter(([, ids]) => ids.length > 0),
  );
}

export function referencesIn(linked: EnteredLinks, scope: Scope): [name: string, Json][] {
  const named = linksOf(scope).filter(({ name }) => linked.has(name));
  return named.map((property) => [property.name, referencesTo(linked.get(property.name) ?? [], property)]);
}

function referencesTo(ids: readonly string[], { links }: Property): Json {
  const references = ids.map((id): Json => new Map([[links?.uniqueId() ?? '', id]]));
  // If only one link is possible, the API refuses several.
  return links?.isMultiple !== true && references.length === 1 ? (references[0] ?? null) : references;
}

export type EnteredTask = ReadonlyMap<string, SentValues>;

/** The keys of the form: the title and the required ones, then stage and assignee, then all others. */
export function keysOfForm(scope: Scope): AskedKey[] {
  const { schema } = scope.workflow;
  const title = titleProperty(schema.properties);
  const place = ['Stage', 'Assigned To'].flatMap((name) => schema.byName.get(name) ?? []);
  const keys = [...new Set([...(title ? [title] : []), ...schema.properties])].flatMap((property) => {
    const isId = property.filter?.subject.of === 'unique-value';
    if (isBarred(scope.workflow, property)) return [];
    const ask = isId || property.files ? property.view?.ask : askedBy(property, scope);
    const rules = isId ? rulesOfId(schema) : { isRequired: isRequiredField(schema, property) };
    const isMore = !rules.isRequired && property !== title && !place.includes(property);
    return ask ? [{ property, ask, isMore, ...rules }] : [];
  });
  const rankOf = ({ property, isMore }: AskedKey): number =>
    place.indexOf(property) + (isMore ? place.length + 1 : 0);
  return keys.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rulesOfId({ uniqueId }: TaskSchema): Pick<AskedKey, 'isRequired' | 'blankId'> {
  const isNumbered = uniqueId?.autoincrement === true;
  const isNeeded = uniqueId?.required === true && !isNumbered;
  return { isRequired: isNeeded, blankId: isNumbered ? 'numbered' : isNeeded ? undefined : 'none' };
}

/** The defaults of the definition. Readers who see only their own tasks are the assignee. */
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

export function givenIn(
  query: URLSearchParams,
  keys: readonly AskedKey[],
  reader: WayOfWriting,
): EnteredTask {
  // Programs make such addresses, so numbers are written as in the API.
  return valuesOf(query, keys.filter(({ property }) => query.has(property.name)), { ...reader, locale: 'en' }); // prettier-ignore
}

export function enteredIn(
  form: URLSearchParams,
  keys: readonly AskedKey[],
  reader: WayOfWriting,
): EnteredTask {
  const isTicked = ({ ask }: AskedKey): boolean => ask.by === 'tick' || ask.by === 'options';
  return valuesOf(form, keys.filter((key) => isTicked(key) || form.has(key.property.name)), reader); // prettier-ignore
}

const valuesOf = (from: URLSearchParams, keys: readonly AskedKey[], reader: WayOfWriting): EnteredTask =>
  new Map(keys.map(({ property: { name }, ask }) => [name, sentValue(ask, from.getAll(name), reader)]));
