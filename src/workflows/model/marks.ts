/** Either `secret`, or the name of a `Kind`, such as `stage`. */
export type NamedKind = string;

/** Says which kind of element the text of a setting names. */
export interface NameMark {
  readonly to: NamedKind;
  /** If true, the names are the keys of a mapping, and the values of its `Stage` and `Assigned To`. */
  readonly keys?: true;
  readonly isQuery?: true;
  /** Which keys of a task, other than fields, the setting may also name. */
  readonly otherKeys?: 'links' | 'changeable' | 'everything';
  /** Words that the setting accepts in place of a name. */
  readonly but?: readonly string[];
  /** Whether the setting's own check reports unknown names. */
  readonly isCheckedThere?: true;
  /** The ids of workflows, one of which has the named element. Default: the workflow of the setting. */
  readonly at?: ((setting: object, place: Place) => readonly string[]) | undefined;
}

/** Where a setting is in a definition, and which workflows it can refer to. */
export interface Place {
  /** The id of the workflow around the setting; absent for a setting of the workspace. */
  readonly workflow?: string;
  readonly workflows: readonly string[];
  /** The ends of relationships at this workflow. */
  readonly ends: readonly End[];
}

/** An end of a relationship, as the tasks of its workflow show it. */
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

/** An option of a schema: the setting names one or several elements. */
export const refers = (to: NamedKind, how: Omit<NameMark, 'to'> = {}) => ({ [NAME]: { to, ...how } });

/** An option of a schema: the setting is a query for tasks. */
export const query = (at?: NonNullable<NameMark['at']>) =>
  refers('field', { isQuery: true, isCheckedThere: true, ...(at && { at }) });

/** An option of a schema: the setting is for one apply and is not stored with its element. */
export const forOneApply = { [ONCE]: true } as const;

export const markOf = (schema: MarkedSchema | undefined): NameMark | undefined => schema?.[NAME];

export const isForOneApply = (schema: MarkedSchema | undefined): boolean => schema?.[ONCE] === true;

/** The names belong to the workflow at the other end of the relationship whose id the setting `key` holds. */
export const acrossId = (key: string) => (setting: object, place: Place) =>
  farOf(place.ends.filter(({ id }) => id === textAt(setting, key)));

/** Like `acrossId`, but `key` holds a name or an id. Without it, names belong to the setting's workflow. */
export const acrossName = (key: string) => (setting: object, place: Place) => {
  const named = textAt(setting, key);
  if (named === undefined) return place.workflow === undefined ? [] : [place.workflow];
  const byName = place.ends.filter(({ name }) => name === named);
  const byId = place.ends.filter(({ id }) => id === named);
  return farOf(byName.length > 0 ? byName : byId.length === 1 ? byId : []);
};

/** The names belong to the workflows whose ids are the value of `key`; without a value, to all workflows. */
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
