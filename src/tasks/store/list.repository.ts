import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../../common/database/sql.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { type FieldIndex } from '../../workflows/fields/field-type.js';
import { type ListQuery, type SortKey } from '../../workflows/fields/list-query.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type Scope } from '../../workflows/model/scope.js';
import { entriesWithin, findIndexes, keyOfValue, type ListIndexes } from './list-indexes.js';
import { behindPosition, isByCreation, keysOf, orderBy, sortTerms } from './order.sql.js';
import { bindSight, wholeSight } from './seen.js';
import {
  type ListedRow,
  ofWorkflow,
  type ReadRow,
  selectPage,
  type ShownShape,
  tasksOf,
} from './task-row.js';
import { allOf, Bindings, isOfColumn, isSelective } from './where.sql.js';
import { type Position } from '../../common/cursor.js';

/** If `sort` is empty, the list is in the order of creation. */
export type SortedTasks = Pick<ListQuery, 'conditions' | 'sort'>;

/** A page of a list, and the position after which more tasks follow. */
export interface TaskChunk {
  readonly rows: readonly ListedRow[];
  readonly next: Position | undefined;
}

/** Reads up to `limit` tasks of a list, after a position or from the beginning. Leaves out long values. */
export async function readTasks(
  db: EntityManager,
  scope: Scope,
  list: SortedTasks & ShownShape,
  after: Position | undefined,
  limit: number,
): Promise<TaskChunk> {
  const page = await planPage(db, scope.workflow, list, after, limit + 1);
  const { bindings } = page;
  const position = isByCreation(list.sort) ? [] : [positionAt(limit, list.sort, bindings)];
  const sight = list.showsLinks ? bindSight(scope, bindings) : wholeSight;
  const text = selectPage(page.text, limit + 1, list, sight, position);
  const read = await sql<ReadRow<PlacedRow>>(
    db,
    page.hasOnePlan ? statementOf(text) : { text },
    bindings.values,
  );
  const rows = tasksOf<PlacedRow>(scope.workflow, read);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), next: last && (last.position ?? [last.id]) };
}

const positionAt = (place: number, sort: readonly SortKey[], bindings: Bindings): string =>
  `CASE WHEN t.place = ${place} THEN ${keysOf(sortTerms(sort, bindings))} END AS position`;

/** Only the last row of a page can have a position. If a list is in the order of creation, no row has one. */
type PlacedRow = ListedRow & { readonly position?: Position | null };

interface PageQuery {
  readonly text: string;
  readonly bindings: Bindings;
  /** Whether the query has one plan for all values, so that it can be prepared. */
  readonly hasOnePlan: boolean;
}

async function planPage(
  db: EntityManager,
  workflow: Workflow,
  { conditions, sort }: SortedTasks,
  after: Position | undefined,
  limit: number,
): Promise<PageQuery> {
  const sorted = keyIndexOf(sort);
  const indexes = await findIndexes(db, workflow, conditions, sorted);
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const where = matching(conditions, indexes, bindings);
  const isFew = indexes.few.length > 0 || conditions.some(isSelective);
  const index = sorted && indexes.ids.get(sorted.fieldId);
  if (sorted && index !== undefined && !isFew) {
    const entries = `k.index_id = ${bindings.bind(index)}::integer AND ${entriesWithin(conditions, sorted, bindings)}`;
    const isDescending = sort[0]?.isDescending === true;
    const page = { index: sorted, isDescending, entries, where, after, limit };
    return { text: inKeyOrder(page, bindings), bindings, hasOnePlan: false };
  }
  const terms = sortTerms(sort, bindings);
  const behind = after ? behindPosition(terms, after, bindings) : 'true';
  // `+ 0` hides the order of ids from PostgreSQL. Otherwise, PostgreSQL would check all tasks in that order
  // instead of sorting the few tasks that an index finds.
  const order = isByCreation(sort) && isFew ? orderBy(terms).replace('t.id', 't.id + 0') : orderBy(terms);
  const text = `SELECT t.* FROM tasks t WHERE ${where} AND ${behind} ORDER BY ${order} LIMIT ${limit}`;
  return { text, bindings, hasOnePlan: isByCreation(sort) && (isFew || conditions.every(isOfColumn)) };
}

/** Returns the field index that has the order of a sort. A sort by several keys or by ranks has none. */
export function keyIndexOf([first, ...others]: readonly SortKey[]): FieldIndex | undefined {
  return others.length > 0 || first?.order.by === 'rank' ? undefined : first?.index;
}

/** Whether a list is in the order of creation, and an index finds its tasks without reading many others. */
export function isQuick({ conditions, sort }: SortedTasks): boolean {
  return isByCreation(sort) && (conditions.some(isSelective) || conditions.every(isOfColumn));
}

/** SQL: the tasks `t` of the workflow that meet the conditions. */
export function matching(conditions: readonly Condition[], indexes: ListIndexes, bindings: Bindings): string {
  // `+ 0` hides the indexes by workflow, so that PostgreSQL uses the index of field values.
  const own = conditions.some(isSelective) ? 't.workspace_id = $1 AND t.workflow_id + 0 = $2' : ofWorkflow;
  const few = indexes.few.filter((tasks) => tasks !== '');
  const among = few.map((tasks) => ` AND t.id = ANY(${bindings.bind(tasks)}::bigint[])`);
  return `${own}${among.join('')} AND ${allOf(conditions, bindings)}`;
}

interface KeyPage {
  readonly index: FieldIndex;
  readonly isDescending: boolean;
  /** SQL: the condition on an entry `k` of the index. */
  readonly entries: string;
  /** SQL: the condition on the task `t` of the entry. */
  readonly where: string;
  readonly after: Position | undefined;
  readonly limit: number;
}

/**
 * SQL: reads tasks one by one in the order of the index. Tasks without a value come last in both directions;
 * PostgreSQL reads them only if the other tasks do not fill the page. OFFSET 0 makes PostgreSQL sort equal
 * keys before the join. LIMIT 1 prevents a hash or merge join, which PostgreSQL would choose without
 * statistics.
 */
function inKeyOrder(page: KeyPage, bindings: Bindings): string {
  const { index, isDescending, after, limit } = page;
  const [value, task] = after ?? [];
  const id = after ? `${bindings.bind(task)}::bigint` : '';
  if (value === null) return keyPart(page, `k.sort_key = '' AND k.task_id > ${id}`, 'k.task_id');
  const behind =
    value === undefined ? 'true' : isBehindKey(keyOfValue(value, index, bindings), id, isDescending);
  const order = `k.sort_key${isDescending ? ' DESC' : ''}, k.task_id`;
  const filled = keyPart(page, `k.sort_key > '' AND ${behind}`, order);
  const blank = keyPart(page, "k.sort_key = ''", 'k.task_id');
  return `SELECT * FROM (${filled} UNION ALL ${blank}) t LIMIT ${limit}`;
}

const keyPart = ({ entries, where, limit }: KeyPage, keys: string, order: string): string => `
  (SELECT t.* FROM (
    SELECT k.* FROM task_sort_keys k WHERE k.workspace_id = $1 AND ${entries} AND ${keys} ORDER BY ${order} OFFSET 0
  ) k
  CROSS JOIN LATERAL (SELECT t.* FROM tasks t WHERE ${ofWorkflow} AND t.id = k.task_id LIMIT 1) t
  WHERE ${where} ORDER BY ${order} LIMIT ${limit})`;

/** SQL: whether an entry comes after a key and an id. Equal keys are always in the order of creation. */
function isBehindKey(key: string, id: string, isDescending: boolean): string {
  return isDescending
    ? `k.sort_key <= ${key} AND (k.sort_key < ${key} OR k.task_id > ${id})`
    : `(k.sort_key, k.task_id) > (${key}, ${id})`;
}
