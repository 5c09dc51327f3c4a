import { type RelationshipDefinition } from './relationship-definition.js';
import { type WorkspaceDefinition } from './definition.js';
import { type End, type MarkedSchema, type NamedKind, type NameMark, type Place, markOf } from './marks.js';

/** A name in a definition, its place, and the kind of element that it names. */
export interface NameUse {
  readonly name: string;
  readonly mark: NameMark;
  readonly holder: object;
  readonly key: string | number;
  /** Whether the name is the key of the entry rather than its value. */
  readonly isKey: boolean;
  /** The ids of the workflows that may know the name; empty if the setting leads to no workflow. */
  readonly workflows: readonly string[];
}

/** One setting of a definition, or one element of a list, with its schema. */
export interface DefinitionPart {
  readonly schema: object | undefined;
  readonly holder: object;
  readonly key: string | number;
  readonly place: Place;
}

export const partsOfWorkspace = (
  schema: MarkedSchema,
  definition: WorkspaceDefinition,
): Generator<DefinitionPart> => partsOf(schema, { ...definition, workflows: [] }, placeIn(definition));

export const partsOfWorkflow = (
  schema: MarkedSchema,
  workflow: { readonly id: string },
  definition: WorkspaceDefinition,
): Generator<DefinitionPart> =>
  partsOf(membersAt(schema, 'workflows'), workflow, placeIn(definition, workflow.id));

function* partsOf(schema: MarkedSchema | undefined, holder: object, place: Place): Generator<DefinitionPart> {
  for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
    if (!Array.isArray(value)) yield { schema: schema?.properties?.[key], holder, key, place };
    else
      for (const index of value.keys())
        yield { schema: membersAt(schema, key), holder: value, key: index, place };
  }
}

const membersAt = (schema: MarkedSchema | undefined, key: string): MarkedSchema | undefined => {
  const list: MarkedSchema | undefined = schema?.properties?.[key];
  return list?.items;
};

function placeIn({ workflows, relationships }: WorkspaceDefinition, workflow?: string): Place {
  const ids = workflows.map(({ id }) => id);
  if (workflow === undefined) return { workflows: ids, ends: [] };
  return { workflow, workflows: ids, ends: relationships.flatMap((each) => endsOf(each, workflow)) };
}

function endsOf({ id, from, to }: RelationshipDefinition, workflow: string): End[] {
  const ends = [
    { at: from.workflow, id, name: from.name, far: to.workflow },
    { at: to.workflow, id, name: to.name, far: from.workflow },
  ];
  return ends.filter(({ at }) => at === workflow);
}

export function namesIn({ schema, holder, key, place }: DefinitionPart): NameUse[] {
  const uses: NameUse[] = [];
  visit(schema, Reflect.get(holder, key), { holder, key, setting: holder, place, uses });
  return uses;
}

interface Visit {
  readonly holder: object;
  readonly key: string | number;
  /** The mapping around the setting, from which the workflow of its names is found. */
  readonly setting: object;
  readonly place: Place;
  readonly uses: NameUse[];
}

function visit(schema: MarkedSchema | undefined, value: unknown, at: Visit): void {
  if (!schema) return;
  const mark = markOf(schema);
  if (typeof value === 'string') {
    if (mark && !mark.keys) add(value, mark, at);
  } else if (Array.isArray(value)) visitList(schema, value, at);
  else if (typeof value === 'object' && value !== null) {
    if (mark?.keys) visitKeys(value, mark, at);
    else visitMapping(branchOf(schema, value), value, at);
  }
}

/** A list passes its mark to its members, unless they have one of their own. */
function visitList(schema: MarkedSchema | undefined, list: readonly unknown[], at: Visit): void {
  const mark = markOf(schema);
  for (const [key, value] of list.entries()) {
    const within = { ...at, holder: list, key };
    if (typeof value === 'string' && mark) add(value, mark, within);
    else visit(schema?.items, value, within);
  }
}

function visitMapping(schema: MarkedSchema | undefined, mapping: object, at: Visit): void {
  const { place, uses } = at;
  for (const [key, value] of Object.entries(mapping) as [string, unknown][])
    visit(schema?.properties?.[key], value, { holder: mapping, key, setting: mapping, place, uses });
}

/** The built-in keys whose values are names. A template as the value has a check of its own. */
const valuesOfBuiltIns: ReadonlyMap<string, NamedKind> = new Map([
  ['Stage', 'stage'],
  ['Assigned To', 'user'],
]);

function visitKeys(mapping: object, mark: NameMark, at: Visit): void {
  for (const [key, value] of Object.entries(mapping) as [string, unknown][]) {
    add(key, mark, { ...at, holder: mapping, key }, true);
    const to = valuesOfBuiltIns.get(key);
    if (to && typeof value === 'string')
      add(value, { to, isCheckedThere: true, at: mark.at }, { ...at, holder: mapping, key });
  }
}

function add(name: string, mark: NameMark, at: Visit, isKey = false): void {
  if (mark.but?.includes(name)) return;
  const { holder, key, setting, place, uses } = at;
  const own = place.workflow === undefined ? [] : [place.workflow];
  uses.push({ name, mark, holder, key, isKey, workflows: mark.at?.(setting, place) ?? own });
}

/** The schema of a mapping; in a union, the branch that its discriminator names. */
export function branchOf(schema: MarkedSchema | undefined, mapping: object): MarkedSchema | undefined {
  const key = schema?.discriminator?.propertyName;
  if (key === undefined) return schema;
  const named: unknown = Reflect.get(mapping, key);
  return schema?.oneOf?.find(({ properties }) => {
    const branch: MarkedSchema | undefined = properties?.[key];
    return branch?.const === named;
  });
}
