import { type Position } from '../../common/cursor.js';
import { type Subject } from '../../workflows/fields/condition.js';
import { type Ranked } from '../../workflows/fields/field-type.js';
import { type SortKey } from '../../workflows/fields/list-query.js';
import { type Bindings, columns, valueExpression } from './where.sql.js';

/** SQL: a key by which the table `t` is sorted. */
export interface SortTerm {
  readonly text: string;
  /** The type to which a cursor's text is cast. */
  readonly type: string;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
}

/** Whether a list is in the order of creation or its reverse; ids have the order of creation. */
export const isByCreation = ([first]: readonly SortKey[]): boolean =>
  first === undefined || first.subject.of === 'created';

/** Returns the keys of a sort. The last key is the task's id, so that no two tasks have equal keys. */
export function sortTerms(sort: readonly SortKey[], bindings: Bindings): SortTerm[] {
  const at = sort.findIndex(({ subject }) => subject.of === 'created');
  const keys = at < 0 ? sort : sort.slice(0, at);
  const terms = keys.map((key) => ({ ...termOf(key, bindings), isDescending: key.isDescending }));
  const isDescending = sort[at]?.isDescending === true;
  return [...terms, { text: 't.id', type: 'bigint', isDescending, isNullable: false }];
}

/** Returns the ORDER BY of the terms; blanks come last. */
export function orderBy(terms: readonly SortTerm[]): string {
  return terms
    .map(
      ({ text, isDescending, isNullable }) =>
        `${text}${isDescending ? ' DESC' : ''}${isNullable ? ' NULLS LAST' : ''}`,
    )
    .join(', ');
}

/** SQL: the keys of a task as an array of texts. */
export function keysOf(terms: readonly SortTerm[]): string {
  return `ARRAY[${terms.map(({ text }) => `${text}::text`).join(', ')}]`;
}

/** SQL: whether a task comes after this position. */
export function behindPosition(terms: readonly SortTerm[], position: Position, bindings: Bindings): string {
  const [first, ...others] = terms;
  const isExact = first === undefined || first.isNullable || others.length === 0;
  // The condition on the first key lets PostgreSQL begin an index scan at the position.
  const begins = isExact
    ? ''
    : `${first.text} ${first.isDescending ? '<=' : '>='} ${bindings.bind(position[0])}::text::${first.type} AND `;
  return begins + isBehind(terms, position, bindings);
}

function isBehind(terms: readonly SortTerm[], position: Position, bindings: Bindings): string {
  const texts = terms.map(({ text, type, isDescending, isNullable }, at) => {
    const value = position[at] ?? null;
    if (value === null) return { further: 'false', same: `${text} IS NULL` };
    const bound = `${bindings.bind(value)}::text::${type}`;
    const further = `${text} ${isDescending ? '<' : '>'} ${bound}${isNullable ? ` OR ${text} IS NULL` : ''}`;
    return { further: `(${further})`, same: `${text} = ${bound}` };
  });
  return texts.reduceRight((rest, { further, same }) => `(${further} OR (${same} AND ${rest}))`, 'false');
}

function termOf({ subject, order }: SortKey, bindings: Bindings): Omit<SortTerm, 'isDescending'> {
  if (subject.of === 'updated') return { text: 't.updated_at', type: 'timestamptz', isNullable: false };
  if (subject.of === 'due') return { text: columns.due, type: 'timestamptz', isNullable: true };
  if (order.by === 'rank' || order.by === 'ranks') return ranked(subject, order.by, order.ranks, bindings);
  const value = valueExpression(subject, bindings);
  if (order.by === 'number') return { text: `${value}::numeric`, type: 'numeric', isNullable: true };
  const text = subject.of === 'field' ? `left(${value}, ${MAX_SORTED_CHARACTERS})` : value;
  return { text, type: 'text COLLATE "C"', isNullable: true };
}

/** Only the first characters of a field's text decide its order. Indexes and cursors contain no more. */
const MAX_SORTED_CHARACTERS = 200;

function ranked(
  subject: Subject,
  by: 'rank' | 'ranks',
  ranks: readonly Ranked[],
  bindings: Bindings,
): Omit<SortTerm, 'isDescending'> {
  const list = `${bindings.bind(ranks.map((rank) => (rank === null ? null : String(rank))))}::text[]`;
  const rank = (value: string): string => `COALESCE(array_position(${list}, ${value}), ${ranks.length + 1})`;
  if (by === 'ranks' && subject.of === 'field') {
    const members = `t.field_values -> ${bindings.bind(subject.id)}`;
    const text = `CASE WHEN ${members} IS NOT NULL THEN
      ARRAY(SELECT ${rank('member')} FROM jsonb_array_elements_text(${members}) member ORDER BY 1) END`;
    return { text: `(${text})`, type: 'integer[]', isNullable: true };
  }
  const value = `${valueExpression(subject, bindings)}::text`;
  if (ranks.includes(null)) return { text: rank(value), type: 'integer', isNullable: false };
  return {
    text: `(CASE WHEN ${value} IS NOT NULL THEN ${rank(value)} END)`,
    type: 'integer',
    isNullable: true,
  };
}
