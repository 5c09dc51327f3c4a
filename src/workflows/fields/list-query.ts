import { FieldErrors, sentencesOf } from '../../common/field-errors.js';
import {
  type Alternatives,
  type Condition,
  isLinkedFilter,
  type OverdueFilter,
  type Subject,
  type WordSearch,
} from './condition.js';
import { Invalid } from './invalid.js';
import { controls, listedNames, listedProperty, parseFilters } from './filters.js';
import { type FieldIndex, type Order } from './field-type.js';
import { type ListedProperty } from './property.js';
import { instants } from './properties/built-ins.js';
import { shapeOf, type TaskShape } from './serialize-task.js';
import { type TaskSchema } from './task-schema.js';
import { nameMeant } from '../../common/did-you-mean.js';
import { excerpt, listed } from '../../common/wording.js';
import { keepText } from './text-rules.js';
import { joined, say } from '../../common/message.js';

export interface ListQuery {
  readonly conditions: readonly Condition[];
  /** The sort keys. Tasks with equal keys come in the order of creation. */
  readonly sort: readonly SortKey[];
  /** The maximum number of tasks; undefined for all tasks. */
  readonly limit: number | undefined;
  /** The sealed cursor after which the page begins; undefined for the first page. */
  readonly after: string | undefined;
  readonly shape: TaskShape;
  /** Whether the shown keys include `_created`, `_updated` or `_due`. */
  readonly showsInstants: boolean;
  /** Whether the shown keys include data of linked tasks. */
  readonly showsLinks: boolean;
  readonly isCounted: boolean;
}

/**
 * A key to sort by. Blanks come last in either direction, unless they have a rank, as an unticked checkbox
 * has.
 */
export interface SortKey {
  readonly subject: Subject;
  readonly order: Order;
  readonly index?: FieldIndex | undefined;
  readonly isDescending: boolean;
}

/**
 * Parses the parameters of a list, and throws all faults at once. `further` are keys that only `_fields` may
 * name.
 */
export function parseListQuery(
  schema: TaskSchema,
  query: URLSearchParams,
  further: readonly ListedProperty[] = [],
): ListQuery {
  const errors = new FieldErrors();
  const read = parameterReader(query, errors);
  const shape = read<TaskShape>('_fields', schema, (texts) => parseShape(schema, texts, further));
  const result = {
    conditions: parseConditions(schema, query, errors, controls),
    sort: read('_sort', [], (texts) => parseSort(schema, texts)),
    limit: read('_limit', undefined, single(parseLimit)),
    after: read<string | undefined>('_after', undefined, single(String)),
    shape,
    showsInstants: shape.properties.some(({ name }) => instants.has(name)),
    showsLinks: shape.properties.some(({ links, ofLinks }) => links !== undefined || ofLinks === true),
    isCounted: read('_count', false, single(parseFlag)),
  };
  if (query.has('_after') && !query.has('_limit')) errors.add('_after', 'needs _limit');
  errors.throwIfAny();
  return result;
}

/**
 * Parses `_any`, `_search`, `_overdue` and `_active`. Parses every other name as a filter, unless it is in
 * `reserved`.
 */
export function parseConditions(
  schema: TaskSchema,
  query: URLSearchParams,
  errors: FieldErrors,
  reserved: ReadonlySet<string>,
): Condition[] {
  const read = parameterReader(query, errors);
  const filters = new Set([...query.keys()].filter((name) => !reserved.has(name)));
  const own = parseFilters(schema, query, filters, errors);
  const alternatives = read<readonly Alternatives[]>('_any', [], (texts) => parseAlternatives(schema, texts));
  const linked = [...own, ...alternatives.flatMap(({ conditions }) => conditions)].filter(isLinkedFilter);
  if (linked.length > MAX_JOINED)
    errors.add('base', say`has more than ${MAX_JOINED} filters by fields of linked tasks`);
  const one = (name: string, parse: (text: string) => Condition | Invalid): Condition | undefined =>
    read<Condition | undefined>(name, undefined, single(parse));
  const further = [
    one('_search', (text) => parseSearch(schema, text)),
    one('_overdue', (text) => parseOverdue(schema, text)),
    one('_active', parseActive),
  ];
  return [...own, ...alternatives, ...further.filter((condition) => condition !== undefined)];
}

/**
 * A list can have at most this many filters by fields of linked tasks, because these filters read other
 * tables. The list can also have at most this many `_any` parameters, because `_any` may read all tasks.
 */
const MAX_JOINED = 2;

/** Parses the values of `_any`. Each value is a query; a task must meet at least one filter of each query. */
function parseAlternatives(schema: TaskSchema, texts: readonly string[]): Alternatives[] | Invalid {
  if (texts.length > MAX_JOINED) return new Invalid(say`is given more than ${MAX_JOINED} times`);
  const errors = new FieldErrors();
  const all = texts.map((text) => {
    const query = new URLSearchParams(text);
    const conditions = parseFilters(schema, query, new Set(query.keys()), errors);
    return { is: 'one-of', subject: { of: 'several' }, conditions } as const;
  });
  const faults = sentencesOf(errors.fields);
  if (faults.length > 0) return new Invalid(joined(faults, '; '));
  return all.every(({ conditions }) => conditions.length > 0) ? all : new Invalid('needs a filter');
}

type Read = <T>(name: string, absent: T, parse: (texts: readonly string[]) => T | Invalid) => T;

/** Makes a function that parses one parameter. A refused parameter counts as absent. */
export function parameterReader(query: URLSearchParams, errors: FieldErrors): Read {
  return (name, absent, parse) => {
    const value = query.has(name) ? parse(query.getAll(name)) : absent;
    if (!(value instanceof Invalid)) return value;
    errors.add(name, value.said);
    return absent;
  };
}

/** Makes a parser that refuses a repeated parameter. */
export function single<T>(parse: (text: string) => T | Invalid): (texts: readonly string[]) => T | Invalid {
  return ([text = '', ...others]) => (others.length > 0 ? new Invalid('is given twice') : parse(text));
}

function parseLimit(text: string): number | Invalid {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= 1000 ? limit : new Invalid('is not a whole number from 1 to 1000');
}

export function parseFlag(text: string): boolean | Invalid {
  return text === 'true' || text === 'false' ? text === 'true' : new Invalid('is not true or false');
}

function parseShape(
  schema: TaskSchema,
  texts: readonly string[],
  further: readonly ListedProperty[],
): TaskShape | Invalid {
  const names = parseNames(texts, [...listedNames(schema), ...further.map(({ name }) => name)]);
  if (names instanceof Invalid) return names;
  const chosen = new Set(names);
  return shapeOf(
    [...schema.properties, ...instants.values(), ...further].filter(({ name }) => chosen.has(name)),
  );
}

function parseSort(schema: TaskSchema, texts: readonly string[]): SortKey[] | Invalid {
  const known = listedNames(schema);
  // A `-` before a name means descending order.
  const names = parseNames(texts, [...known, ...known.map((name) => `-${name}`)]);
  if (names instanceof Invalid) return names;
  if (names.length > MAX_SORT_KEYS) return new Invalid(say`names more than ${MAX_SORT_KEYS} fields`);
  const keys: SortKey[] = [];
  for (const name of names) {
    const exact = listedProperty(schema, name);
    const { filter } = exact ?? listedProperty(schema, name.slice(1)) ?? {};
    if (!filter)
      return new Invalid(say`cannot be ${name}: lists are never sorted by relationships, files or Task URL`);
    const { subject, order, index } = filter;
    keys.push({ subject, order, index, isDescending: !exact });
  }
  return keys;
}

// A cursor contains the value of each sort key, and must fit into a URL.
const MAX_SORT_KEYS = 4;

/** Parses lists of names separated by commas. Names may contain commas, so the longest known name wins. */
function parseNames(lists: readonly string[], known: readonly string[]): string[] | Invalid {
  const names = new Set(known);
  const maxParts = Math.max(...known.map((name) => name.split(',').length));
  const found: string[] = [];
  for (const list of lists) {
    const parts = list.split(',');
    for (let at = 0; at < parts.length;) {
      const length = lengthOfName(parts.slice(at, at + maxParts), names);
      if (length === 0) return unknownName(parts[at] ?? '', names);
      found.push(parts.slice(at, at + length).join(','));
      at += length;
    }
  }
  return found;
}

function unknownName(name: string, known: ReadonlySet<string>): Invalid {
  if (name.trim() === '') return new Invalid('needs the name of a field');
  const meant = nameMeant(name, known);
  return new Invalid(say`contains a name that is not a field of this workflow: ${excerpt(name)}${meant}`);
}

/** The number of leading parts that form the longest known name; 0 if the first parts form no known name. */
function lengthOfName(parts: readonly string[], names: ReadonlySet<string>): number {
  for (let length = parts.length; length > 0; length -= 1)
    if (names.has(parts.slice(0, length).join(','))) return length;
  return 0;
}

/** Parses the parameter `_overdue`: true, false, or the id of a clock. */
function parseOverdue({ deadlines }: TaskSchema, text: string): OverdueFilter | Invalid {
  const overdue = { is: 'overdue', subject: { of: 'deadlines' } } as const;
  if (text === 'true' || text === 'false')
    return { ...overdue, deadline: undefined, isNegated: text === 'false' };
  if (deadlines.has(text)) return { ...overdue, deadline: text, isNegated: false };
  return new Invalid(say`is not true, false or a clock of this workflow; it has: ${listed(deadlines)}`);
}

/** Parses the parameter `_active`: whether tasks are outside the end stages. */
function parseActive(text: string): Condition | Invalid {
  const flag = parseFlag(text);
  if (flag instanceof Invalid) return flag;
  return { is: 'any-of', subject: { of: 'active' }, values: [true], isNegated: !flag };
}

/** Parses the parameter `_search`: words that tasks must contain. */
function parseSearch({ isSearched }: TaskSchema, given: string): WordSearch | Invalid {
  if (!isSearched) return new Invalid('needs a workflow with search: true in its definition');
  const text = keepText(given, MAX_CHARACTERS);
  if (text instanceof Invalid) return text;
  const count = text.split(separators).filter((word) => word !== '').length;
  if (count === 0) return new Invalid('contains no word');
  if (count > MAX_WORDS) return new Invalid(say`contains more than ${MAX_WORDS} words`);
  return { is: 'search', subject: { of: 'words' }, text };
}

/** The maximum number of words. The search runs once for each word. */
const MAX_WORDS = 10;
const MAX_CHARACTERS = 200;

/** The characters between words, as in the database function `scoped_words`. */
export const separators =
  /[\p{Z}\p{Cc}\p{P}$+<=>^`|~¢-©¬®-±´¸×÷\u2000-\u2bff\ufe00-\ufe0f\u{1f000}-\u{1faff}]+/u;
