import { type Condition } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { between, type HashedRow } from './near-tasks.js';
import { type ListedRow, type Shown } from './task-row.js';
import { keysOf, type Position, type SortTerm, startsOf } from './where.sql.js';

export interface SortedList extends Shown {
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
}

/** A task of a sorted list, with its position in it. */
export type SortedRow = ListedRow & { readonly position: Position };

/** A page of a sorted list, and the position behind which there may be more. */
export interface SortedRows {
  readonly rows: readonly SortedRow[];
  readonly next: Position | undefined;
}

/** A task as a sorted list finds it. */
export type FoundRow = SortedRow & HashedRow & { readonly isCut: readonly boolean[] };

/** Where a task of the table called `t` stands in the list, and which of its texts are longer than that tells. */
export function foundColumns(terms: readonly SortTerm[]): string {
  const cuts = terms.map(({ text, start }) => (start ? `COALESCE(${text} <> ${start}, false)` : 'false'));
  return `${keysOf(startsOf(terms))} AS position, ARRAY[${cuts.join(', ')}] AS "isCut"`;
}

/** Whether two tasks in a row can be told apart only by what their texts go on with. */
export function beginAlike(row: FoundRow, next: FoundRow): boolean {
  const differing = firstDifference(row, next);
  return row.isCut.some((isCut, at) => at < differing && (isCut || next.isCut[at] === true));
}

function firstDifference(row: FoundRow, next: FoundRow): number {
  return row.position.findIndex((key, at) => key !== next.position[at]);
}

/** The position of the last task of a page, if there is a next one. */
export function positionBetween(
  last: FoundRow | undefined,
  next: FoundRow | undefined,
): Position | undefined {
  if (!last || !next) return undefined;
  if (beginAlike(last, next)) return between(last, next);
  const differing = firstDifference(last, next);
  // What else begins like the last one stands before it.
  return last.isCut[differing] === true ? last.position.slice(0, differing + 1) : last.position;
}
