import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type SortKey } from '../schema/list-query.js';
import { amongWords, isWordSearch } from './word-search.js';
import {
  createdWithin,
  allOf,
  behindPosition,
  Bindings,
  orderBy,
  type Position,
  type SortTerm,
  sortTerms,
  startsOf,
} from './where.sql.js';
import { listInKeptOrder } from './kept-list.repository.js';
import { isFoundByConditions } from './access-path.js';
import { alike, hashOf, standsBehind } from './near-tasks.js';
import {
  beginAlike,
  type FoundRow,
  foundColumns,
  positionBetween,
  type SortedList,
  type SortedRows,
} from './sorted-rows.js';
import { sightedBy } from './seen.js';
import { ofWorkflow, type ReadRow, selectListed, tasksOf } from './task-row.js';
import { type Scope } from '../workspace/scope.js';

/**
 * The next `limit` tasks of a sorted list behind a position, and where they end if there are more. They are sorted by
 * what their texts begin with, which keeps a sort small; where some begin alike and are longer, they and what stands
 * before them are sorted again by their whole texts, on disk where these are many.
 */
export async function listSorted(
  db: EntityManager,
  scope: Scope,
  list: SortedList,
  after: Position | undefined,
  limit: number,
): Promise<SortedRows> {
  const page = { list, after, limit };
  const kept = await listInKeptOrder(db, scope, page, isFoundByConditions(list.conditions));
  if (kept) return kept;
  const rows = await readRows(db, scope, page);
  const isExact = rows.slice(1).every((row, at) => !rows[at] || !beginAlike(rows[at], row));
  if (isExact) return { rows: rows.slice(0, limit), next: positionBetween(rows[limit - 1], rows[limit]) };
  const upTo = rows[limit]?.position;
  const sorted = await readRows(db, scope, { ...page, upTo });
  const next = positionBetween(sorted[limit - 1], sorted[limit]);
  // Where some were deleted meanwhile there may be more behind all that begin like the last one.
  return { rows: sorted.slice(0, limit), next: next ?? (upTo && endOfAlike(upTo, list.sort)) };
}

interface SortedPage {
  readonly list: SortedList;
  readonly after: Position | undefined;
  readonly limit: number;
  /** How far the tasks are sorted by their whole texts; undefined: to the end. */
  readonly upTo?: Position | undefined;
}

async function readRows(db: EntityManager, scope: Scope, page: SortedPage): Promise<FoundRow[]> {
  const { list, after, limit } = page;
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id);
  const terms = sortTerms(list.sort, bindings);
  const isBehind = after ? standsBehind(terms, after, bindings) : { near: '', text: 'true' };
  const within = createdWithin(list.conditions, bindings) + amongWords(list.conditions, bindings);
  const checked = list.conditions.filter((condition) => !isWordSearch(condition));
  const rows = `${ofWorkflow}${within} AND ${allOf(checked, bindings)} AND ${isBehind.text}`;
  const most = bindings.bind(limit + 1);
  const selected = 'upTo' in page ? exactly(terms, rows, page, most, bindings) : byStarts(terms, rows, most);
  const further = ['t.position', 't."isFull"', 't.hash'];
  const text = selectListed(`${isBehind.near} ${selected}`, list, sightedBy(scope, bindings), further);
  return tasksOf<FoundRow>(
    scope.workflow,
    await sql<ReadRow<FoundRow>>(db, statementOf(text), bindings.values),
  );
}

function byStarts(terms: readonly SortTerm[], rows: string, most: string): string {
  return `
    SELECT t.*, row_number() OVER () AS place, ${foundColumns(terms)}, NULL AS hash FROM (
      SELECT t.* FROM tasks t WHERE ${rows}
      ORDER BY ${orderBy(startsOf(terms))} LIMIT ${most}
    ) t`;
}

// Numbered and not limited: of a limited sort PostgreSQL holds all texts in memory, however long they are.
function exactly(
  terms: readonly SortTerm[],
  rows: string,
  { upTo, limit }: SortedPage,
  most: string,
  bindings: Bindings,
): string {
  const isNear = upTo
    ? `${behindPosition(startsOf(alike(terms, upTo)), upTo, bindings)} IS NOT TRUE`
    : 'true';
  return `
    SELECT t.*, ${foundColumns(terms)}, CASE WHEN t.place >= ${bindings.bind(limit)} THEN ${hashOf(terms)} END AS hash
    FROM (
      SELECT t.*, row_number() OVER (ORDER BY ${orderBy(terms)}) AS place
      FROM tasks t WHERE ${rows} AND ${isNear}
    ) t
    WHERE t.place <= ${most}`;
}

/** The position behind all that begin like the task at this one. */
function endOfAlike(position: Position, sort: readonly SortKey[]): Position {
  return position.slice(0, alike(sortTerms(sort, new Bindings()), position).length);
}
