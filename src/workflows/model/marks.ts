/** Either `secret`, or the name of a `Kind`, such as `stage`. */
export type NamedKind = string;

/** Says which kind of element the text of a setting names. */
export interface NameMark {
  readonly to: NamedKind;
  /**
   * If true, the setting is a mapping whose keys are names. The values of its keys `Stage` and `Assigned To`
   * are names, too.
   */
  readonly keys?: true;
  readonly isQuery?: true;
  /** Which keys of a task the setting may name besides fields. */
  readonly otherKeys?: 'links' | 'changeable' | 'everything';
  /** Words that the setting accepts in place of a name. */
  readonly but?: readonly string[];
  /** If true, the setting's own check reports unknown names. */
  readonly isCheckedThere?: true;
  /**
   * Returns the ids of the workflows in which to look for the named element. By default, this is only the
   * workflow around the setting.
   */
  readonly at?: ((setting: object, place: Place) => readonly string[]) | undefined;
}

/** Where a setting is in a definition, and which workflows it can refer to. */
export interface Place {
  /** The id of the workflow around the setting; absent for a setting of the workspace. */
  readonly workflow?: string;
  readonly workflows: readonly string[];
  /** The ends that relationships have at this workflow. */
  readonly ends: readonly End[];
}

/** An end of a relationship, as the tasks at this end show it. */
export interface End {
  readonly id: string;
  readonly name: string;
  /** The id of the workflow of the linked tasks. */
  readonly far: string;
  readonly isMultiple: boolean;
}

// The keys are symbols, so that published schemas omit the marks.
const NAME = Symbol('name');
const ONCE = Symbol('once');

export interface MarkedSchema {
  readonly [NAME]?: NameMark;
  readonly [ONCE]?: true;
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly oneOf?: readonly MarkedSchema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly const?: unknown;
}

/** Marks the schema of a setting that names one or several elements. */
export const refers = (to: NamedKind, how: Omit<NameMark, 'to'> = {}) => ({ [NAME]: { to, ...how } });

/** Marks the schema of a setting that is a query for tasks. */
export const query = (at?: NonNullable<NameMark['at']>) =>
  refers('field', { isQuery: true, isCheckedThere: true, ...(at && { at }) });

/** Marks the schema of a setting that is an instruction for one apply. Such a setting is not stored. */
export const forOneApply = { [ONCE]: true } as const;

export const markOf = (schema: MarkedSchema | undefined): NameMark | undefined => schema?.[NAME];

export const isForOneApply = (schema: MarkedSchema | undefined): boolean => schema?.[ONCE] === true;

/**
 * For `NameMark.at`: the names belong to the workflow at the other end of a relationship. The setting `key`
 * holds the id of this relationship.
 */
export const acrossId = (key: string) => (setting: object, place: Place) =>
  farOf(place.ends.filter(({ id }) => id === textAt(setting, key)));

/**
 * Like `acrossId`, but the setting `key` holds a name or an id. If the setting `key` is absent, the names
 * belong to the workflow of `place`.
 */
export const acrossName = (key: string) => (setting: object, place: Place) => {
  const named = textAt(setting, key);
  if (named === undefined) return place.workflow === undefined ? [] : [place.workflow];
  const byName = place.ends.filter(({ name }) => name === named);
  const byId = place.ends.filter(({ id }) => id === named);
  return farOf(byName.length > 0 ? byName : byId.length === 1 ? byId : []);
};

/**
 * For `NameMark.at`: the names belong to the workflows whose ids the setting `key` holds. If this setting is
 * absent, the names can belong to any workflow.
 */
export const ofWorkflows = (key: string) => (setting: object, place: Place) => {
  const named = new Map<string, unknown>(Object.entries(setting)).get(key) ?? place.workflows;
  return [named].flat().filter((id) => typeof id === 'string');
};

const farOf = (ends: readonly End[]): string[] => ends.slice(0, 1).map(({ far }) => far);

function textAt(setting: object, key: string): string | undefined {
  const text = new Map<string, unknown>(Object.entries(setting)).get(key);
  return typeof text === 'string' ? text : undefined;
}

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

function saidBy({ to, keys, isQuery, at }: NameMark): string {
  const names = isQuery ? 'a query for tasks' : `${keys ? 'its keys name' : 'names'}: ${to}`;
  return at ? `${names}, of another workflow` : names;
}
