import { type EntityManager } from 'typeorm';
import { invalidField } from '../errors/field-errors.js';
import { listByCreation } from '../records/list-by-creation.js';
import { listSorted } from '../records/list-sorted.js';
import { type Position } from '../records/sort-terms.js';
import { type ListedRow } from '../records/task-row.js';
import { openCursor, sealCursor } from '../answers/cursor.js';
import { type SortKey } from '../schema/list-query.js';
import { type List } from './list-request.js';

/** A page's tasks, and the cursor behind which the next one begins. */
export interface Page {
  readonly rows: readonly ListedRow[];
  readonly cursor: string | undefined;
}

/** Reads the page of at most `limit` tasks behind the list's cursor. */
export async function readPage(db: EntityManager, list: List, limit: number): Promise<Page> {
  const after = positionOf(list);
  const { rows, next } = list.isByCreation
    ? await pageByCreation(db, list, after, limit)
    : await listSorted(db, list.workflow, list, after, limit);
  return { rows, cursor: next && sealCursor(list.workflow, nameOf(list.sort), next) };
}

function positionOf({ workflow, sort, after }: List): Position | undefined {
  if (after === undefined) return undefined;
  const position = openCursor(workflow, nameOf(sort), after);
  if (!position) throw invalidField('_after', 'is not a cursor of this list');
  return position;
}

async function pageByCreation(
  db: EntityManager,
  list: List,
  [after]: Position = [],
  limit: number,
): Promise<{ rows: readonly ListedRow[]; next: Position | undefined }> {
  const stretch = { ...list, after: after ?? undefined, limit, isWalked: false };
  const { rows, next } = await listByCreation(db, list.workflow, stretch);
  return { rows, next: next === undefined ? undefined : [next] };
}

/** A cursor is good for any list of the same order. */
function nameOf(sort: readonly SortKey[]): unknown[] {
  return sort.map(({ subject, isDescending }) => [subject, isDescending]);
}
