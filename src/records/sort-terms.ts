import { type Subject } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { type Order, type Ranked } from '../schema/order.js';
import { type Bindings } from './bindings.js';
import { valueOf } from './task-query.js';

/** The keys of a sort in SQL over the table called `t`; the last is the order of creation. */
export interface SortTerm {
  readonly text: string;
  /** What its text begins with, where that may be long. */
  readonly start?: string;
  /** What a cursor's text of it is cast to. */
  readonly type: string;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
}

/**
 * The position of a task in a sorted list: its keys as texts, of a long one what it begins with, then its id. Where the
 * next task begins alike, what tells them apart follows (`near-tasks.ts`).
 */
export type Position = readonly (string | null)[];

/** The terms of a sort. */
export function sortTerms(sort: readonly SortKey[], bindings: Bindings): SortTerm[] {
  return [
    ...sort.map(({ subject, order, isDescending }) => ({
      ...termOf(subject, order, bindings),
      isDescending,
    })),
    { text: 't.id', type: 'bigint', isDescending: false, isNullable: false },
  ];
}

/** The ORDER BY of the terms: blanks stand last. */
export function orderBy(terms: readonly SortTerm[]): string {
  return terms
    .map(
      ({ text, isDescending, isNullable }) =>
        `${text}${isDescending ? ' DESC' : ''}${isNullable ? ' NULLS LAST' : ''}`,
    )
    .join(', ');
}

/** The terms by what their texts begin with. */
export function startsOf(terms: readonly SortTerm[]): SortTerm[] {
  return terms.map((term) => ({ ...term, text: term.start ?? term.text }));
}

/** The keys of a task in SQL, as an array of texts. */
export function keysOf(terms: readonly SortTerm[]): string {
  return `ARRAY[${terms.map(({ text }) => `${text}::text`).join(', ')}]`;
}

/** The condition that a task stands behind this position, or at it where that is included. */
export function behind(
  terms: readonly SortTerm[],
  position: Position,
  bindings: Bindings,
  includesIt = false,
): string {
  const texts = terms.map(({ text, type, isDescending, isNullable }, at) => {
    const value = position[at] ?? null;
    if (value === null) return { further: 'false', same: `${text} IS NULL` };
    const bound = `${bindings.bind(value)}::text::${type}`;
    const further = `${text} ${isDescending ? '<' : '>'} ${bound}${isNullable ? ` OR ${text} IS NULL` : ''}`;
    return { further: `(${further})`, same: `${text} = ${bound}` };
  });
  return texts.reduceRight(
    (rest, { further, same }) => `(${further} OR (${same} AND ${rest}))`,
    String(includesIt),
  );
}

function termOf(subject: Subject, order: Order, bindings: Bindings): Omit<SortTerm, 'isDescending'> {
  if (subject.of === 'created') return { text: 't.id', type: 'bigint', isNullable: false };
  if (subject.of === 'updated') return { text: 't.updated_at', type: 'timestamptz', isNullable: false };
  if (order.by === 'rank' || order.by === 'ranks') return ranked(subject, order.by, order.ranks, bindings);
  const value = valueOf(subject, bindings);
  if (order.by === 'number') return { text: `${value}::numeric`, type: 'numeric', isNullable: true };
  const start = `left(${value}, ${mostCharacters})`;
  return { text: value, start, type: 'text COLLATE "C"', isNullable: true };
}

/** What of a text goes into a cursor. */
export const mostCharacters = 200;

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
  const value = `${valueOf(subject, bindings)}::text`;
  if (ranks.includes(null)) return { text: rank(value), type: 'integer', isNullable: false };
  return {
    text: `(CASE WHEN ${value} IS NOT NULL THEN ${rank(value)} END)`,
    type: 'integer',
    isNullable: true,
  };
}
