import { type RelationshipDefinition } from './relationship-definition.js';
import { type WorkspaceDefinition } from './definition.js';
import { type End, type MarkedSchema, type NamedKind, type NameMark, type Place, markOf } from './marks.js';

/**
 * One use of a name in a definition: the name, its place, and the kind of element that it names. If a setting
 * is a query, `name` is the whole query.
 */
export interface NameUse {
  readonly name: string;
  readonly mark: NameMark;
  readonly holder: object;
  readonly key: string | number;
  /** Whether the name is the key of the entry rather than its value. */
  readonly isKey: boolean;
  /**
   * The ids of the workflows in which to look for the named element. Empty if the setting leads to no
   * workflow.
   */
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

/** The ends of a relationship at a workflow; both ends if the relationship joins the workflow to itself. */
export function endsOf({ id, kind, from, to }: RelationshipDefinition, workflow: string): End[] {
  const ends = [
    { at: from.workflow, id, name: from.name, far: to.workflow, isMultiple: kind.endsWith('many') },
    { at: to.workflow, id, name: to.name, far: from.workflow, isMultiple: kind.startsWith('many') },
  ];
  return ends.filter(({ at }) => at === workflow);
}

export const namesIn = ({ schema, holder, key, place }: DefinitionPart): NameUse[] =>
  usesIn(schema, Reflect.get(holder, key), { holder, key, setting: holder, place });

interface Spot extends Omit<DefinitionPart, 'schema'> {
  /** The mapping that contains the setting. It may determine to which workflow the names belong. */
  readonly setting: object;
}

function usesIn(schema: MarkedSchema | undefined, value: unknown, at: Spot): NameUse[] {
  const mark = markOf(schema);
  if (typeof value === 'string') return mark && !mark.keys ? useOf(value, mark, at) : [];
  if (!schema || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return usesInList(schema, value, at);
  if (mark?.keys)
    return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      usesInEntry(key, inner, mark, { ...at, holder: value, key }),
    );
  const branch = branchOf(schema, value);
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    usesIn(branch?.properties?.[key], inner, { ...at, holder: value, key, setting: value }),
  );
}

/** Reads the names in a list. A mark on the schema of the list applies to each text in the list. */
function usesInList(schema: MarkedSchema, list: readonly unknown[], at: Spot): NameUse[] {
  const isMarked = markOf(schema) !== undefined;
  return list.flatMap((member, key) => {
    const ofMember = isMarked && typeof member === 'string' ? schema : schema.items;
    return usesIn(ofMember, member, { ...at, holder: list, key });
  });
}

/**
 * Maps a built-in key to the kind of element that its value names. The setting's own check reports unknown
 * names, because the value may be a template.
 */
const valuesOfBuiltIns: ReadonlyMap<string, NamedKind> = new Map([
  ['Stage', 'stage'],
  ['Assigned To', 'user'],
]);

function usesInEntry(key: string, value: unknown, mark: NameMark, at: Spot): NameUse[] {
  const to = valuesOfBuiltIns.get(key);
  const ofKey = useOf(key, mark, at, true);
  if (!to || typeof value !== 'string') return ofKey;
  return [...ofKey, ...useOf(value, { to, isCheckedThere: true, at: mark.at }, at)];
}

function useOf(name: string, mark: NameMark, at: Spot, isKey = false): NameUse[] {
  if (mark.but?.includes(name)) return [];
  const { holder, key, setting, place } = at;
  const own = place.workflow === undefined ? [] : [place.workflow];
  return [{ name, mark, holder, key, isKey, workflows: mark.at?.(setting, place) ?? own }];
}

/**
 * Returns the schema of a mapping. If the schema is a union, returns the branch that the discriminator in the
 * mapping names.
 */
export function branchOf(schema: MarkedSchema | undefined, mapping: object): MarkedSchema | undefined {
  const key = schema?.discriminator?.propertyName;
  if (key === undefined) return schema;
  const named: unknown = Reflect.get(mapping, key);
  return schema?.oneOf?.find(({ properties }) => {
    const branch: MarkedSchema | undefined = properties?.[key];
    return branch?.const === named;
  });
}
