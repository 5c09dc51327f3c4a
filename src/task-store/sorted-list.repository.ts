import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { amongWords, isWordSearch } from './word-search.js';
import {
  createdWithin,
  allOf,
  behindPosition,
  Bindings,
  keysOf,
  orderBy,
  type Position,
  sortTerms,
} from './where.sql.js';
import { listInKeptOrder } from './kept-list.repository.js';
import { isFoundByConditions } from './access-path.js';
import { type SortedList, type SortedRow, type SortedRows } from './sorted-rows.js';
import { sightedBy } from './seen.js';
import { ofWorkflow, type ReadRow, selectListed, tasksOf } from './task-row.js';
import { type Scope } from '../workspace/scope.js';

/** The next `limit` tasks of a sorted list after a position, and the position of the next page if there is one. */
export async function listSorted(
  db: EntityManager,
  scope: Scope,
  list: SortedList,
  after: Position | undefined,
  limit: number,
): Promise<SortedRows> {
  const kept = await listInKeptOrder(db, scope, { list, after, limit }, isFoundByConditions(list.conditions));
  if (kept) return kept;
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id);
  const terms = sortTerms(list.sort, bindings);
  const isBehind = after ? behindPosition(terms, after, bindings) : 'true';
  const within = createdWithin(list.conditions, bindings) + amongWords(list.conditions, bindings);
  const checked = list.conditions.filter((condition) => !isWordSearch(condition));
  const selected = `
    SELECT t.*, row_number() OVER () AS place, ${keysOf(terms)} AS position FROM (
      SELECT t.* FROM tasks t WHERE ${ofWorkflow}${within} AND ${allOf(checked, bindings)} AND ${isBehind}
      ORDER BY ${orderBy(terms)} LIMIT ${bindings.bind(limit + 1)}
    ) t`;
  const text = selectListed(selected, list, sightedBy(scope, bindings), ['t.position']);
  const read = await sql<ReadRow<SortedRow>>(db, statementOf(text), bindings.values);
  const rows = tasksOf<SortedRow>(scope.workflow, read);
  return { rows: rows.slice(0, limit), next: rows.length > limit ? rows[limit - 1]?.position : undefined };
}
