import { type Narrowing } from '../entities/column-values.js';
import { code, listed } from '../lib/quote.js';
import { type Message, say } from '../lib/message.js';
import { Refusal } from '../lib/errors.js';
import { type Json } from '../../packages/exact-json/json.js';
import { Invalid } from '../schema/invalid.js';
import { type Property } from '../schema/property.js';
import { changeableBuiltIns } from '../schema/properties/built-ins.js';
import { shownLinks } from '../schema/properties/link.js';
import { type Guard } from '../schema/guards.js';
import { serializeTask, shapeOf } from '../schema/serialize-task.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type TaskView } from '../schema/task-view.js';
import { type Permissions } from './roles.js';
import { type Workflow } from './workspace.js';

/** Whether a key knows the workflow of this id. */
export const knows = (narrowing: Narrowing | undefined, slug: string): boolean =>
  narrowing?.workflows?.includes(slug) ?? true;

/** Whether a key may start the action of this id. */
export const mayStart = (narrowing: Narrowing | undefined, actionId: string): boolean =>
  narrowing?.actions?.includes(actionId) ?? true;

/** By which name a key that is narrowed to fields may tick the checklist, where no field has it. */
export const CHECKLIST = 'Checklist';

/** What a key may be narrowed to beside the fields and the relationships of a workflow. */
export const narrowableBuiltIns: ReadonlySet<string> = new Set([...changeableBuiltIns, CHECKLIST]);

/** Whether a key may write what stands under this name in tasks. */
export const mayWriteKey = (narrowing: Narrowing | undefined, name: string): boolean =>
  narrowing?.fields?.includes(name) ?? true;

/** The refusal (403) of an action that the key may not start. */
export function requireStart(narrowing: Narrowing | undefined, actionId: string): void {
  if (mayStart(narrowing, actionId)) return;
  const { actions = [] } = narrowing ?? {};
  const said = say`This key may not start ${code(actionId)}; it may start ${listed(actions.map(code))}.`;
  throw new Refusal('forbidden', said);
}

/** What a role allows, as far as a narrowed key may do it: whatever it is narrowed to, it deletes nothing. */
export function narrowedPermissions(permissions: Permissions): Permissions {
  const { each } = permissions;
  return { ...permissions, deletes: false, ...(each && { each: each.map(narrowedPermissions) }) };
}

/** Of each compiled workflow what keys are shown of it, by what they are narrowed to. */
const narrowed = new WeakMap<Workflow, Map<string, Workflow>>();

/** The workflow as a narrowed key has it: its payloads change fewer fields, and it has fewer actions. */
export function narrowedWorkflow(workflow: Workflow, narrowing: Narrowing): Workflow {
  const name = JSON.stringify(narrowing);
  const known = narrowed.get(workflow) ?? new Map<string, Workflow>();
  narrowed.set(workflow, known);
  const before = known.get(name);
  if (before) return before;
  const actions = workflow.actions.filter(({ id }) => mayStart(narrowing, id));
  const fields = workflow.fields.map((field) =>
    mayWriteKey(narrowing, field.name) ? field : { ...field, editable: false },
  );
  const made = { ...workflow, actions, fields, schema: narrowedSchema(workflow, narrowing) };
  known.set(name, made);
  // Of what is narrowed already there is nothing to take.
  narrowed.set(made, new Map([[name, made]]));
  return made;
}

/** What is said of all that a key may not write: which names of the workflow it may. */
function notByThisKey({ byName }: TaskSchema, { fields = [] }: Narrowing): Message {
  const own = fields.filter((name) => byName.has(name) || name === CHECKLIST);
  const others = say`may not be changed by this key, which may change: ${listed(own)}`;
  return own.length === 0 ? 'may not be changed by this key' : others;
}

function narrowedSchema({ schema }: Workflow, narrowing: Narrowing): TaskSchema {
  const { fields } = narrowing;
  const said = notByThisKey(schema, narrowing);
  const properties = schema.properties.map((property) => {
    const link = schema.links.get(property.links?.side ?? '');
    const isKnown = !link || knows(narrowing, link.otherWorkflow);
    return withoutChange(isKnown ? property : withoutOthers(property), fields, said);
  });
  const byName = new Map(properties.map((property) => [property.name, property]));
  if (!fields) return { ...schema, ...shapeOf(properties), byName };
  const barred = properties.flatMap(({ name, fieldId, links }): [string, Guard][] => {
    // By what a guard knows it: the id of a field, or a side of a relationship.
    const key = links?.side ?? fieldId;
    if (key === undefined || fields.includes(name)) return [];
    return [[key, { name, changing: said, creating: said }]];
  });
  const payload = new Map([...barred, ...schema.guards.payload]);
  return { ...schema, ...shapeOf(properties), byName, guards: { ...schema.guards, payload } };
}

/** `Stage` and `Assigned To` are no fields that a guard knows: their property itself refuses. */
function withoutChange(property: Property, fields: Narrowing['fields'], said: Message): Property {
  if (!fields || fields.includes(property.name) || !changeableBuiltIns.has(property.name)) return property;
  const isInitial = (input: Json): boolean => property.isInitial?.(input) ?? input === null;
  return { ...property, isInitial, bars: () => new Invalid(said) };
}

/** A relationship to tasks of a workflow that the key does not know: it shows their Unique IDs alone. */
function withoutOthers(property: Property): Property {
  const { links } = property;
  if (!links) return property;
  const shown = links.property(links.uniqueId() ?? '');
  const { properties, keys } = shapeOf(shown ? [shown] : []);
  const names = (): string[] => properties.map(({ name }) => name);
  const write = (task: TaskView): string => serializeTask({ properties, keys }, task);
  return { ...property, ...shownLinks({ ...links, isUnknown: true, names, write }) };
}
