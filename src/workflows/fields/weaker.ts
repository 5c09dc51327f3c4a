/**
 * Whether a change of a setting gives somebody more rights or requires less. An absent setting is undefined.
 * For each member that a list gains or loses, `before` and `after` are lists that differ only in that member.
 */
type IsWeaker = (before: unknown, after: unknown) => boolean;

// The key is a symbol, so that published schemas omit the function.
const WORD = Symbol('weaker');

interface WordedSchema {
  readonly [WORD]?: IsWeaker;
  readonly properties?: Readonly<Record<string, object>>;
  readonly oneOf?: readonly object[];
  readonly items?: object;
}

/** Marks the schema of a setting with the function that tells whether a change makes the setting weaker. */
export const weaker = (word: IsWeaker): WordedSchema => ({ [WORD]: word });

/** Whether a change makes the setting weaker. A mapping without its own function is judged key by key. */
export function isWeaker(schema: object | undefined, before: unknown, after: unknown): boolean {
  const { [WORD]: word, properties = {} }: WordedSchema = schema ?? {};
  if (word) return word(before, after);
  return Object.entries(properties).some(([key, part]) =>
    isWeaker(part, entryOf(before, key), entryOf(after, key)),
  );
}

const entryOf = (holder: unknown, key: string): unknown =>
  typeof holder === 'object' && holder !== null
    ? new Map<string, unknown>(Object.entries(holder)).get(key)
    : undefined;

/** The schema of a key of a mapping. In a union, the first branch that has the key gives the schema. */
export function settingAt(schema: object | undefined, key: string): object | undefined {
  const { properties = {}, oneOf = [] }: WordedSchema = schema ?? {};
  return properties[key] ?? oneOf.map((branch) => settingAt(branch, key)).find((part) => part !== undefined);
}

export const membersOf = (schema: WordedSchema = {}): object | undefined => schema.items;

const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null || value === false ? [] : [value];

export const whenLess: IsWeaker = (before, after) => listed(after).length < listed(before).length;
export const whenMore: IsWeaker = (before, after) => whenLess(after, before);
/** Any change or removal makes the setting weaker, because its values cannot be compared. */
export const whenChanged: IsWeaker = (before, after) => before !== undefined && before !== after;
/** Setting or changing the value makes the setting weaker. Removing the value does not. */
export const whenOtherwise: IsWeaker = (before, after) => after !== undefined && before !== after;
/** Any new member makes the setting weaker, because the list names what is allowed. */
export const whenOthers: IsWeaker = (before, after) =>
  listed(after).some((each) => !listed(before).includes(each));
/**
 * The setting gets weaker if it allows more. An absent setting allows everything, a list allows its members,
 * and `by_actions` allows nothing.
 */
export const whenWider: IsWeaker = (before, after) => widthOf(after) > widthOf(before);
export const whenNarrower: IsWeaker = (before, after) => whenWider(after, before);
const widthOf = (value: unknown): number =>
  value === undefined ? Infinity : Array.isArray(value) ? value.length : 0;
/** `choices` goes from the strictest to the weakest. An absent setting counts as the first choice. */
export const whenLater =
  (...choices: readonly unknown[]): IsWeaker =>
  (before, after) =>
    choices.indexOf(after ?? choices[0]) > choices.indexOf(before ?? choices[0]);
/** A higher or missing upper bound makes the setting weaker. `standard` is the bound of an absent setting. */
export const whenHigher =
  (read = comparable, standard?: string): IsWeaker =>
  (before = standard, after = standard) =>
    before !== undefined && (after === undefined || read(boundOf(after)) > read(boundOf(before)));
export const whenLower: IsWeaker = (before, after) =>
  before !== undefined && (after === undefined || comparable(boundOf(after)) < comparable(boundOf(before)));

function boundOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A bound as a number. The bound must be a number, a day or an instant. */
function comparable(bound: string): number {
  return Number.isNaN(Number(bound)) ? Date.parse(bound) : Number(bound);
}
