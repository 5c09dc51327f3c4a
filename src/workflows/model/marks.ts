/** The name of a kind, or `secret`. */
export type NamedKind = string;

/** Marks a setting whose text is a name. */
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
  /** For a field: the other keys of a task that the text may name. */
  readonly beside?: 'links' | 'changeable' | 'everything';
  /** Words that the setting accepts besides names. */
  readonly but?: readonly string[];
  /** Whether the check of the setting itself reports unknown names. */
  readonly isCheckedThere?: true;
  /** The ids of the workflows whose names these are. Default: the workflow of the setting. */
  readonly at?: ((setting: object, place: Place) => readonly string[]) | undefined;
}

/** The place of settings, and the workflows to which they can refer. */
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

/** An option of a schema: the setting names one or several elements. */
export const refers = (to: NamedKind, how: Omit<NameMark, 'to'> = {}) => ({ [NAME]: { to, ...how } });

/** An option of a schema: the setting is a query for tasks. */
export const query = (at?: NonNullable<NameMark['at']>) =>
  refers('field', { isQuery: true, isCheckedThere: true, ...(at && { at }) });

/** An option of a schema: the setting instructs one apply, and is no part of its element. */
export const forOneApply = { [ONCE]: true } as const;

/**
 * An option of a schema: a plan describes the setting of a new element in these words. Settings with empty words are
 * left out.
 */
export const toldWhenNew = (words: (value: unknown) => string) => ({ [TOLD]: words });

/** The words that describe the settings of a new element. */
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

/** The marks of the settings of an element, by their paths. */
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
