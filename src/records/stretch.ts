import { type Condition } from '../schema/condition.js';
import { type Bindings } from './bindings.js';
import { type ListedRow, type Shown } from './task-row.js';

/** A part of a list in the order of creation. */
export interface Stretch extends Shown {
  readonly conditions: readonly Condition[];
  readonly isNewestFirst: boolean;
  /** The task behind which it begins; absent at the list's own beginning. */
  readonly after: string | undefined;
  /** How many tasks at most. */
  readonly limit: number;
  /** Whether the stretch before was walked, so that a probe would be in vain again. */
  readonly isWalked: boolean;
}

export interface StretchRows {
  readonly rows: readonly ListedRow[];
  /** The task behind which there may be more. */
  readonly next: string | undefined;
  readonly isWalked: boolean;
}

/** The stretch that begins with these rows, of which there may be one more than the limit. */
export function stretchOf(rows: readonly ListedRow[], limit: number, isWalked: boolean): StretchRows {
  const kept = rows.slice(0, limit);
  return { rows: kept, next: rows.length > limit ? kept.at(-1)?.id : undefined, isWalked };
}

/** The order of a stretch in SQL over the table called `t`. */
export interface StretchOrder {
  readonly direction: string;
  /** What limits the tasks to those behind the stretch's beginning. */
  readonly behind: string;
  /** A number that counts up in this order. */
  readonly place: string;
}

export function orderOf({ isNewestFirst, after }: Stretch, bindings: Bindings): StretchOrder {
  const sign = isNewestFirst ? '<' : '>';
  return {
    direction: isNewestFirst ? ' DESC' : '',
    behind: after === undefined ? '' : ` AND t.id ${sign} ${bindings.bind(after)}::bigint`,
    place: isNewestFirst ? '-t.id' : 't.id',
  };
}
