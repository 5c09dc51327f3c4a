/** The name of the kind of what is named, or `secret`. */
export type NamedKind = string;

/** What the text of a setting names. */
export interface NameMark {
  readonly to: NamedKind;
  /** The keys of the mapping are the names, and its `Stage` and `Assigned To` hold names, too. */
  readonly keys?: true;
  /** The setting starts the action. */
  readonly starts?: true;
  /** The setting gives the field a value: in a task, or in one that it creates. */
  readonly sets?: 'task' | 'new task';
  /** A query for tasks, whose parameters and values are names. */
  readonly isQuery?: true;
  /** For a field: what else the text may name, among the keys of a task. */
  readonly beside?: 'links' | 'changeable' | 'everything';
  /** Words that are no names here. */
  readonly but?: readonly string[];
  /** Whether the check of the setting itself reports unknown names. */
  readonly isCheckedThere?: true;
  /** The ids of the workflows whose names these are. Default: the workflow of the setting. */
  readonly at?: ((setting: object, place: Place) => readonly string[]) | undefined;
}

/** Where settings stand, and which workflows they can speak of. */
export interface Place {
  /** The id of the workflow around them; absent for those of the workspace. */
  readonly workflow?: string;
  readonly workflows: readonly string[];
  /** The ends of relationships at this workflow. */
  readonly ends: readonly End[];
}

/** An end of a relationship, as the tasks of its workflow show it. */
export interface End {
  readonly id: string;
  readonly name: string;
  /** The workflow of the linked tasks. */
  readonly far: string;
}

// Symbols, so that the published schemas do not show them.
const NAME = Symbol('name');
const ONCE = Symbol('once');
const TOLD = Symbol('told');

/** The parts of a schema that the walker reads. */
export interface MarkedSchema {
  readonly [NAME]?: NameMark;
  readonly [ONCE]?: true;
  readonly [TOLD]?: (value: unknown) => string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly oneOf?: readonly MarkedSchema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly const?: unknown;
}

/** A setting that names something, or several of it: an option of its schema. */
export const refers = (to: NamedKind, how: Omit<NameMark, 'to'> = {}) => ({ [NAME]: { to, ...how } });

/** A query for tasks. */
export const query = (at?: NonNullable<NameMark['at']>) =>
  refers('field', { isQuery: true, isCheckedThere: true, ...(at && { at }) });

/** A setting that instructs one apply, and is no part of its element. */
export const forOneApply = { [ONCE]: true } as const;

/** A setting that a plan tells of a new element, in these words; empty ones are left out. */
export const toldWhenNew = (words: (value: unknown) => string) => ({ [TOLD]: words });

/** What the settings of a new element say of it. */
export const wordsForNew = (schema: MarkedSchema, element: object): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, setting]: [string, MarkedSchema]) => {
    const words = setting[TOLD]?.(Reflect.get(element, key)) ?? '';
    return words === '' ? [] : [words];
  });

export const markOf = (schema: MarkedSchema | undefined): NameMark | undefined => schema?.[NAME];

export const isForOneApply = (schema: MarkedSchema | undefined): boolean => schema?.[ONCE] === true;

/** Fields at the other end of the relationship whose id this key holds. */
export const acrossId = (key: string) => (setting: object, place: Place) =>
  farOf(place.ends.filter(({ id }) => id === textAt(setting, key)));

/** Names at the other end of the relationship whose name or id this key holds; without the key, of the workflow itself. */
export const acrossName = (key: string) => (setting: object, place: Place) => {
  const named = textAt(setting, key);
  if (named === undefined) return place.workflow === undefined ? [] : [place.workflow];
  const byName = place.ends.filter(({ name }) => name === named);
  const byId = place.ends.filter(({ id }) => id === named);
  return farOf(byName.length > 0 ? byName : byId.length === 1 ? byId : []);
};

/** Names of the workflows whose ids this key holds; without the key, of all. */
export const ofWorkflows = (key: string) => (setting: object, place: Place) => {
  const named = new Map<string, unknown>(Object.entries(setting)).get(key) ?? place.workflows;
  return [named].flat().filter((id) => typeof id === 'string');
};

const farOf = (ends: readonly End[]): string[] => ends.slice(0, 1).map(({ far }) => far);

function textAt(setting: object, key: string): string | undefined {
  const text = new Map<string, unknown>(Object.entries(setting)).get(key);
  return typeof text === 'string' ? text : undefined;
}

/** What the settings of an element do with names, by their paths. */
export function marksIn(schema: MarkedSchema, path = ''): [path: string, said: string][] {
  const { [NAME]: mark, [ONCE]: isOnce, properties = {}, items, oneOf = [] } = schema;
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  return [
    ...(mark ? [[path, saidBy(mark)] as [string, string]] : []),
    ...(isOnce ? [[path, 'instructs one apply'] as [string, string]] : []),
    ...Object.entries(properties).flatMap(([key, setting]) => marksIn(setting, at(key))),
    ...[...(items ? [items] : []), ...oneOf].flatMap((part) => marksIn(part, path)),
  ];
}

function saidBy({ to, keys, starts, sets, isQuery, at }: NameMark): string {
  const names = isQuery ? 'a query for tasks' : `${keys ? 'its keys name' : 'names'}: ${to}`;
  const does = [...(starts ? ['starts it'] : []), ...(sets ? [`sets it in a ${sets}`] : [])];
  return [names, ...does, ...(at ? ['of another workflow'] : [])].join(', ');
}
