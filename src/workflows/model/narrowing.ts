import { type Narrowing } from '../../common/column-values.js';
import { code, listed } from '../../common/wording.js';
import { type Message, say } from '../../common/message.js';
import { Refusal } from '../../common/errors.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { Invalid } from '../fields/invalid.js';
import { type Property } from '../fields/property.js';
import { changeableBuiltIns } from '../fields/properties/built-ins.js';
import { shownLinks } from '../fields/properties/link.js';
import { type Guard } from '../fields/protection.js';
import { serializeTask, shapeOf } from '../fields/serialize-task.js';
import { type TaskSchema } from '../fields/task-schema.js';
import { type TaskView } from '../fields/task-view.js';
import { type Permissions } from './roles.js';
import { isKnownTo, type Viewer } from './known.js';
import { type Workflow } from './workspace.js';

const mayStart = (narrowing: Narrowing | undefined, actionId: string): boolean =>
  narrowing?.actions?.includes(actionId) ?? true;

/**
 * If an API key is limited to certain names, and this is one of the names, the key may tick checklist items.
 * If the workflow has a field of this name, the name means only the field.
 */
export const CHECKLIST = 'Checklist';

/** The names, besides fields and relationships, to which an API key can be limited. */
export const narrowableBuiltIns: ReadonlySet<string> = new Set([...changeableBuiltIns, CHECKLIST]);

export const mayWriteKey = (narrowing: Narrowing | undefined, name: string): boolean =>
  narrowing?.fields?.includes(name) ?? true;

/** Throws (403) if the API key may not start the action. */
export function requireStart(narrowing: Narrowing | undefined, actionId: string): void {
  if (mayStart(narrowing, actionId)) return;
  const { actions = [] } = narrowing ?? {};
  const said = say`This key cannot start ${code(actionId)}; it can start ${listed(actions.map(code))}.`;
  throw new Refusal('forbidden', said);
}

/** Returns the permissions for a narrowed API key: without the right to delete tasks. */
export function narrowedPermissions(permissions: Permissions): Permissions {
  const { each } = permissions;
  return { ...permissions, deletes: false, ...(each && { each: each.map(narrowedPermissions) }) };
}

/**
 * Caches narrowed workflows. The first key is the compiled workflow. The second key is a JSON text of the
 * narrowing and the unknown relationships.
 */
const narrowed = new WeakMap<Workflow, Map<string, Workflow>>();

/**
 * The workflow as the viewer sees it. A narrowed key sees fewer actions, and its payloads may change fewer
 * fields. If the viewer does not know a linked workflow, links to it show only Unique IDs.
 */
export function narrowedWorkflow(workflow: Workflow, viewer: Viewer): Workflow {
  const { narrowing = {} } = viewer;
  const unknown = unknownSides(workflow, viewer);
  if (!viewer.narrowing && unknown.length === 0) return workflow;
  const name = JSON.stringify([narrowing, unknown]);
  const known = narrowed.get(workflow) ?? new Map<string, Workflow>();
  narrowed.set(workflow, known);
  const before = known.get(name);
  if (before) return before;
  const actions = workflow.actions.filter(({ id }) => mayStart(narrowing, id));
  const fields = workflow.fields.map((field) =>
    mayWriteKey(narrowing, field.name) ? field : { ...field, editable: false },
  );
  const made = { ...workflow, actions, fields, schema: narrowedSchema(workflow, narrowing, unknown) };
  known.set(name, made);
  // Narrowing the result again for the same viewer yields the same workflow.
  narrowed.set(made, new Map([[name, made]]));
  return made;
}

export const unknownSides = ({ schema, permissions }: Workflow, viewer: Viewer | undefined): string[] =>
  [...schema.links.values()].flatMap(({ side, otherWorkflowId: id, otherWorkflow: slug }) =>
    isKnownTo(viewer, { id, slug, permissions }) ? [] : side,
  );

/** The message for a name that this API key may not write. Lists the names that the key may write, if any. */
function notByThisKey({ byName }: TaskSchema, { fields = [] }: Narrowing): Message {
  const own = fields.filter((name) => byName.has(name) || name === CHECKLIST);
  const others = say`may not be changed by this key. The key may change: ${listed(own)}`;
  return own.length === 0 ? 'may not be changed by this key' : others;
}

function narrowedSchema({ schema }: Workflow, narrowing: Narrowing, unknown: readonly string[]): TaskSchema {
  const { fields } = narrowing;
  const said = notByThisKey(schema, narrowing);
  const properties = schema.properties.map((property) => {
    const isKnown = !unknown.includes(property.links?.side ?? '');
    return withoutChange(isKnown ? property : withoutOthers(property), fields, said);
  });
  const byName = new Map(properties.map((property) => [property.name, property]));
  if (!fields) return { ...schema, ...shapeOf(properties), byName };
  const barred = properties.flatMap(({ name, fieldId, links }): [string, Guard][] => {
    // `Guards` map the id of a field, or the side of a relationship, to its guard.
    const key = links?.side ?? fieldId;
    if (key === undefined || fields.includes(name)) return [];
    return [[key, { name, changing: said, creating: said }]];
  });
  const payload = new Map([...barred, ...schema.guards.payload]);
  return { ...schema, ...shapeOf(properties), byName, guards: { ...schema.guards, payload } };
}

/** Guards do not cover `Stage` and `Assigned To`, so their properties refuse changes themselves. */
function withoutChange(property: Property, fields: Narrowing['fields'], said: Message): Property {
  if (!fields || fields.includes(property.name) || !changeableBuiltIns.has(property.name)) return property;
  const isInitial = (input: Json): boolean => property.isInitial?.(input) ?? input === null;
  return { ...property, isInitial, bars: () => new Invalid(said) };
}

/** A relationship to a workflow that the viewer does not know. It shows only Unique IDs. */
function withoutOthers(property: Property): Property {
  const { links } = property;
  if (!links) return property;
  const shown = links.property(links.uniqueId() ?? '');
  const { properties, keys } = shapeOf(shown ? [shown] : []);
  const names = (): string[] => properties.map(({ name }) => name);
  const write = (task: TaskView): string => serializeTask({ properties, keys }, task);
  return { ...property, ...shownLinks({ ...links, isUnknown: true, names, write }) };
}
