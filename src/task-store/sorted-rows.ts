import { type Condition } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { between, type HashedRow } from './near-tasks.js';
import { type ListedRow, type ShownShape } from './task-row.js';
import { keysOf, MAX_SORTED_CHARACTERS, type Position, type SortTerm, startsOf } from './where.sql.js';

export interface SortedList extends ShownShape {
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
export type FoundRow = SortedRow & HashedRow & { readonly isFull: readonly boolean[] };

/** Where a task of the table called `t` stands in the list, and which of its texts fill their place in the position. */
export function foundColumns(terms: readonly SortTerm[]): string {
  const full = terms.map(({ start }) =>
    start ? `COALESCE(length(${start}) = ${MAX_SORTED_CHARACTERS}, false)` : 'false',
  );
  return `${keysOf(startsOf(terms))} AS position, ARRAY[${full.join(', ')}] AS "isFull"`;
}

/**
 * Whether two tasks in a row can be told apart only by what their texts go on with. Also where neither text goes on: a task
 * elsewhere in the list may begin like them.
 */
export function beginAlike(row: FoundRow, next: FoundRow): boolean {
  const differing = firstDifference(row, next);
  return row.isFull.some((isFull, at) => at < differing && isFull);
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
  return last.isFull[differing] === true ? last.position.slice(0, differing + 1) : last.position;
}
