import { type Condition } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { type ListedRow, type ShownShape } from './task-row.js';
import { type Position } from './where.sql.js';

export interface SortedList extends ShownShape {
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
}

/** A task of a sorted list, with its position in it. */
export type SortedRow = ListedRow & { readonly position: Position };

/** A page of a sorted list, and the position after which more may follow. */
export interface SortedRows {
  readonly rows: readonly SortedRow[];
  readonly next: Position | undefined;
}
