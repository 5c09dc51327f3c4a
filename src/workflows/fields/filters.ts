import { type FieldErrors } from '../../common/field-errors.js';
import { nameMeant, nearNameMeant, parameterMeant } from '../../common/did-you-mean.js';
import { excerpt, listed } from '../../common/wording.js';
import { type Condition, type Comparable, type ComparisonOperator } from './condition.js';
import { Invalid } from './invalid.js';
import { toNfc } from '../../../packages/exact-json/nfc.js';
import { type ListedProperty, type Filter, type LinkedKey } from './property.js';
import { type Link, type TaskSchema } from './task-schema.js';
import { instants } from './properties/built-ins.js';
import { type Ranked } from './field-type.js';
import { keepText } from './text-rules.js';
import { hinted, say } from '../../common/message.js';

/** Parses the filters with these names. A repeated parameter makes one filter with all its values. */
export function parseFilters(
  schema: TaskSchema,
  query: URLSearchParams,
  names: ReadonlySet<string>,
  errors: FieldErrors,
): Condition[] {
  const conditions: Condition[] = [];
  if (names.size > MAX_FILTERS) {
    errors.add('base', say`has more than ${MAX_FILTERS} filters`);
    return conditions;
  }
  let refused = 0;
  for (const name of names) {
    // The query of a request is already in NFC. Texts within `_any` and queries in a definition can be in
    // other forms.
    const texts = query.getAll(name).map(toNfc);
    const condition = parseFilter(schema, toNfc(name), texts, refused < 3);
    if (condition instanceof Invalid) {
      refused += 1;
      const meant = texts.map(withPlus);
      const isChanged = meant.some((text, at) => text !== texts[at]);
      const isPlusLost = isChanged && !(parseFilter(schema, toNfc(name), meant, false) instanceof Invalid);
      errors.add(name, isPlusLost ? say`${condition.said}; write + as %2B` : condition.said);
    } else conditions.push(condition);
  }
  return conditions;
}

const MAX_FILTERS = 200;

/** Puts a `+` before the offset of an instant, because a `+` in a query means a space. */
const withPlus = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\dT[\d:.]+) (?=\d\d:\d\d$)/i, '$1+');

/** Parses one filter. With `isHinted`, a refusal may suggest a similar key of the linked tasks. */
function parseFilter(
  schema: TaskSchema,
  name: string,
  texts: readonly string[],
  isHinted: boolean,
): Condition | Invalid {
  const found = find(schema, name, isHinted);
  if (found instanceof Invalid) return found;
  const { property, operator, link } = found;
  if (!property.filter) return new Invalid('cannot be filtered');
  // `ne` on linked tasks means that no linked task has the value, not that some task has another value.
  const isNegated = link !== undefined && operator === 'ne';
  const condition = operators[isNegated ? 'eq' : operator](property.filter, texts);
  if (!link || condition instanceof Invalid) return condition;
  return { is: 'linked', subject: { of: 'links' }, link, conditions: [condition], isNegated };
}

interface Found {
  readonly property: ListedProperty;
  readonly operator: OperatorName;
  /** The side of the relationship, if the key belongs to linked tasks. */
  readonly link?: Link | undefined;
}

/** The key and the operator in the name of a parameter; undefined if either is unknown. */
export function filterNamed(schema: TaskSchema, name: string): Found | undefined {
  const found = find(schema, name);
  return found instanceof Invalid ? undefined : found;
}

/** First looks for a key with the whole name, and then for a key followed by an operator in brackets. */
function find(schema: TaskSchema, name: string, isHinted = false): Found | Invalid {
  const exact = namedKey(schema, name);
  if (exact) return { ...exact, operator: 'eq' };
  const [, before = '', bracketed = ''] = /^(.*)\[([^[\]]*)\]$/s.exec(name) ?? [];
  const key = namedKey(schema, before);
  if (!key) return unknownParameter(schema, name, before, isHinted);
  const operator = inBrackets.find((known) => known === bracketed);
  if (bracketed === '' || /^\d+$/.test(bracketed))
    return new Invalid(say`takes no []: to give several values, repeat ${before}`);
  return operator
    ? { ...key, operator }
    : new Invalid(say`has no operator ${excerpt(bracketed)}, only ${inBrackets.join(', ')}`);
}

/**
 * Finds a key of the tasks by its name, or a key of linked tasks by a name such as `Relationship.Key`. If a
 * key of the tasks has exactly the given name, returns that key.
 */
function namedKey(schema: TaskSchema, name: string): Omit<Found, 'operator'> | undefined {
  const property = listedProperty(schema, name);
  if (property) return { property };
  for (const [links, , key] of relationshipsIn(schema, name)) {
    const isShown = !links.isUnknown || key === links.uniqueId();
    const linked = isShown ? links.property(key) : undefined;
    const link = schema.links.get(links.side);
    if (linked && link) return { property: linked, link };
  }
  return undefined;
}

/** The maximum length of the name of a relationship, in UTF-16 units: it may have 100 code points. */
const MAX_NAME = 200;

/** Yields each way to split a name after a relationship and its dot, as in `Relationship.` and `Key`. */
function* relationshipsIn({ byName }: TaskSchema, name: string): Generator<[LinkedKey, string, string]> {
  for (let dot = name.indexOf('.'); dot >= 0 && dot <= MAX_NAME; dot = name.indexOf('.', dot + 1)) {
    const links = byName.get(name.slice(0, dot))?.links;
    if (links) yield [links, name.slice(0, dot + 1), name.slice(dot + 1)];
  }
}

function unknownParameter(schema: TaskSchema, name: string, before: string, isHinted: boolean): Invalid {
  const { byName, isSearched } = schema;
  const [relationship] = relationshipsIn(schema, before || name);
  if (relationship) {
    const [links, start] = relationship;
    // Never suggests names of a workflow that the viewer does not know.
    const shown = links.isUnknown || !isHinted ? [] : links.names();
    const known = new Map(shown.map((key) => [start + key, key]));
    return new Invalid(
      hinted('is not a field of the linked tasks', nearNameMeant(before || name, known, start)),
    );
  }
  const meant =
    parameterMeant(name, isSearched ? controls : controlsButSearch) || nameMeant(before || name, byName);
  return new Invalid(hinted('is not a field of this workflow', meant));
}

/** The parameters that control a list. No field can have one of these names. */
export const controls: ReadonlySet<string> = new Set([
  '_limit',
  '_after',
  '_sort',
  '_fields',
  '_count',
  '_search',
  '_overdue',
  '_active',
  '_any',
]);

const controlsButSearch: ReadonlySet<string> = new Set([...controls].filter((name) => name !== '_search'));

export function listedNames({ byName }: TaskSchema): string[] {
  return [...byName.keys(), ...instants.keys()];
}

/** The key of this name, if a list can show the key. */
export function listedProperty({ byName }: TaskSchema, name: string): ListedProperty | undefined {
  return byName.get(name) ?? instants.get(name);
}

/** Makes a condition from all values of one query parameter. */
type Operator = (filter: Filter, texts: readonly string[]) => Condition | Invalid;

/** Parses `Field=…`: the field equals or contains one of the values. */
const equal: Operator = (filter, texts) => anyOf(filter, texts, false);

/** Parses `Field[ne]=…`: the field equals none of the values and contains none of them. */
const unequal: Operator = (filter, texts) => anyOf(filter, texts, true);

/** The operators. All except `eq` are written in brackets after a name. */
const operators = {
  eq: equal,
  ne: unequal,
  gt: compared('gt'),
  gte: compared('gte'),
  lt: compared('lt'),
  lte: compared('lte'),
  contains,
} satisfies Record<string, Operator>;

export type OperatorName = keyof typeof operators;

const inBrackets = ['ne', 'gt', 'gte', 'lt', 'lte', 'contains'] as const satisfies readonly OperatorName[];

function anyOf(filter: Filter, texts: readonly string[], isNegated: boolean): Condition | Invalid {
  const values = parseAll(filter, texts);
  const { subject, order, index } = filter;
  const isOpen = order.by !== 'rank' && order.by !== 'ranks';
  return values instanceof Invalid ? values : { is: 'any-of', subject, values, isNegated, isOpen, index };
}

function compared(operator: ComparisonOperator): Operator {
  return (filter, texts) => {
    const { subject, order, index } = filter;
    if (order.by === 'ranks') return new Invalid(say`cannot be compared by ${operator}`);
    const bounds = parseAll(filter, texts);
    if (bounds instanceof Invalid) return bounds;
    const isRanked = order.by === 'rank' && order.ranks.includes(null);
    if (bounds.includes(null) && !isRanked)
      return new Invalid(say`cannot be compared with blank by ${operator}`);
    if (order.by !== 'rank') return { is: operator, subject, as: order.by, bounds, index };
    // Removed options have no rank, so no value can be compared with them.
    if (!bounds.every((bound) => order.ranks.includes(bound as Ranked)))
      return new Invalid(say`is not one of: ${listed(order.ranks.map(String))}`);
    return { is: 'any-of', subject, ...membership(operator, order.ranks, bounds), index };
  };
}

/**
 * For `lt` and `lte`, lists the values that match. For `gt` and `gte`, lists the values that do not match and
 * negates the list. Values outside `ranks`, which rank highest, then match too.
 */
function membership(
  operator: ComparisonOperator,
  ranks: readonly Ranked[],
  bounds: readonly Comparable[],
): { values: Ranked[]; isNegated: boolean } {
  const places = bounds.map((bound) => ranks.indexOf(bound as Ranked));
  const isNegated = operator.startsWith('gt');
  const place = isNegated ? Math.min(...places) : Math.max(...places);
  const isIncluded = operator === 'gt' || operator === 'lte';
  const values = ranks.slice(0, isIncluded ? place + 1 : place);
  return { values: isNegated && !ranks.includes(null) ? [...values, null] : values, isNegated };
}

function contains(filter: Filter, texts: readonly string[]): Condition | Invalid {
  const { subject, order } = filter;
  if (order.by !== 'ranks' && order.by !== 'text') return new Invalid('cannot be compared by contains');
  if (texts.includes('')) return new Invalid('cannot be compared with blank by contains');
  if (order.by === 'ranks') return anyOf(filter, texts, false);
  const refused = texts.map((text) => keepText(text, MAX_CHARACTERS)).find((text) => text instanceof Invalid);
  return refused ?? { is: 'contains', subject, texts };
}

/** The maximum length of a text for `contains`. A search for a longer text would take too much time. */
const MAX_CHARACTERS = 1000;

function parseAll(filter: Filter, texts: readonly string[]): Comparable[] | Invalid {
  const values: Comparable[] = [];
  for (const text of texts) {
    const value = filter.parse(text);
    if (value instanceof Invalid) return value;
    values.push(value);
  }
  return values;
}
