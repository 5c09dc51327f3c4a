import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { type Workflow } from '../workspace/workspace.js';
import { alike, between, hashOf, type HashedRow, standsBehind } from './near-tasks.js';
import { type ListedRow, ofWorkflow, type ReadRow, selectListed, type Shown, tasksOf } from './task-row.js';
import {
  allOf,
  behind,
  Bindings,
  keysOf,
  orderBy,
  type Position,
  type SortTerm,
  sortTerms,
  startsOf,
} from './where.sql.js';

export interface SortedList extends Shown {
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
}

/** A task of a sorted list, with its position in it. */
export type SortedRow = ListedRow & { readonly position: Position };

/**
 * The next `limit` tasks of a sorted list behind a position, and where they end if there are more. They are sorted by
 * what their texts begin with, which keeps a sort small; where some begin alike and are longer, they and what stands
 * before them are sorted again by their whole texts, on disk where these are many.
 */
export async function listSorted(
  db: EntityManager,
  workflow: Workflow,
  list: SortedList,
  after: Position | undefined,
  limit: number,
): Promise<{ rows: readonly SortedRow[]; next: Position | undefined }> {
  const page = { list, after, limit };
  const rows = await readRows(db, workflow, page);
  const isExact = rows.slice(1).every((row, at) => !rows[at] || !beginAlike(rows[at], row));
  if (isExact) return { rows: rows.slice(0, limit), next: positionBetween(rows[limit - 1], rows[limit]) };
  const upTo = rows[limit]?.position;
  const sorted = await readRows(db, workflow, { ...page, upTo });
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

type FoundRow = SortedRow & HashedRow & { readonly isCut: readonly boolean[] };

async function readRows(db: EntityManager, workflow: Workflow, page: SortedPage): Promise<FoundRow[]> {
  const { list, after, limit } = page;
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const terms = sortTerms(list.sort, bindings);
  const isBehind = after ? standsBehind(terms, after, bindings) : { near: '', text: 'true' };
  const rows = `${ofWorkflow} AND ${allOf(list.conditions, bindings)} AND ${isBehind.text}`;
  const most = bindings.bind(limit + 1);
  const selected = 'upTo' in page ? exactly(terms, rows, page, most, bindings) : byStarts(terms, rows, most);
  const text = selectListed(`${isBehind.near} ${selected}`, list, ['t.position', 't."isCut"', 't.hash']);
  return tasksOf<FoundRow>(workflow, await sql<ReadRow<FoundRow>>(db, statementOf(text), bindings.values));
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
  const isNear = upTo ? `${behind(startsOf(alike(terms, upTo)), upTo, bindings)} IS NOT TRUE` : 'true';
  return `
    SELECT t.*, ${foundColumns(terms)}, CASE WHEN t.place >= ${bindings.bind(limit)} THEN ${hashOf(terms)} END AS hash
    FROM (
      SELECT t.*, row_number() OVER (ORDER BY ${orderBy(terms)}) AS place
      FROM tasks t WHERE ${rows} AND ${isNear}
    ) t
    WHERE t.place <= ${most}`;
}

function foundColumns(terms: readonly SortTerm[]): string {
  const cuts = terms.map(({ text, start }) => (start ? `COALESCE(${text} <> ${start}, false)` : 'false'));
  return `${keysOf(startsOf(terms))} AS position, ARRAY[${cuts.join(', ')}] AS "isCut"`;
}

/** Whether two tasks in a row can be told apart only by what their texts go on with. */
function beginAlike(row: FoundRow, next: FoundRow): boolean {
  const differing = firstDifference(row, next);
  return row.isCut.some((isCut, at) => at < differing && (isCut || next.isCut[at] === true));
}

function firstDifference(row: FoundRow, next: FoundRow): number {
  return row.position.findIndex((key, at) => key !== next.position[at]);
}

/** The position of the last task of a page, if there is a next one. */
function positionBetween(last: FoundRow | undefined, next: FoundRow | undefined): Position | undefined {
  if (!last || !next) return undefined;
  if (beginAlike(last, next)) return between(last, next);
  const differing = firstDifference(last, next);
  // What else begins like the last one stands before it.
  return last.isCut[differing] === true ? last.position.slice(0, differing + 1) : last.position;
}

/** The position behind all that begin like the task at this one. */
function endOfAlike(position: Position, sort: readonly SortKey[]): Position {
  return position.slice(0, alike(sortTerms(sort, new Bindings()), position).length);
}
