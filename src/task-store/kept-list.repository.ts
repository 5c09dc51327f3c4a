import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { accessPath } from './access-path.js';
import { nextTasks } from './kept-orders.js';
import { type SortedList, type SortedRow, type SortedRows } from './sorted-rows.js';
import { sightedBy } from './seen.js';
import { ofWorkflow, type ReadRow, selectListed, tasksOf } from './task-row.js';
import { allOf, Bindings, createdWithin, keysOf, type Position, sortTerms } from './where.sql.js';
import { type Scope } from '../workspace/scope.js';

/** The requested page of a sorted list. */
interface Asked {
  readonly list: SortedList;
  readonly after: Position | undefined;
  readonly limit: number;
}

/**
 * The next tasks of a list sorted by one key, read in the order of an index. Looks at a limited number of tasks, so a
 * page may be shorter than its limit although a next one exists. Undefined if the index is not filled yet, or matches
 * are so rare that the indexes of the conditions, followed by a sort, are faster.
 */
export async function listInKeptOrder(
  db: EntityManager,
  scope: Scope,
  asked: Asked,
  isFoundByConditions: boolean,
): Promise<SortedRows | undefined> {
  const { list, after, limit } = asked;
  const [key] = list.sort;
  if (!key || list.sort.length > 1) return undefined;
  const read: ScannedRow[] = [];
  let stop: ScannedRow | undefined;
  for (const length of lengthsFor(asked)) {
    const from = stop?.position ?? after;
    const further = await scan(db, scope, { list, limit, after: from, length }, key);
    if (!further) return undefined;
    read.push(...further);
    stop = further.at(-1)?.isLast === true ? further.at(-1) : undefined;
    if (!stop || countFitting(read) >= limit) break;
    if (isFoundByConditions && countFitting(further) < MIN_MATCHES * length) return undefined;
  }
  return pageOf(read, stop, limit);
}

/** The page of the tasks read; if more exist, it ends at the task where the last scan stopped. */
function pageOf(read: readonly ScannedRow[], stop: ScannedRow | undefined, limit: number): SortedRows {
  const rows = read.filter(({ fits }) => fits === true);
  const last = rows.length > limit ? rows[limit - 1] : stop;
  return { rows: rows.slice(0, limit), next: last?.position };
}

function countFitting(read: readonly ScannedRow[]): number {
  return read.filter(({ fits }) => fits === true).length;
}

/** Matches below this share are rare; the same share as in the sample before an index scan. */
const MIN_MATCHES = 3 / 200;

/** Half the length of an ordered scan, because these tasks are scattered over the disk. */
const scanLengthFor = (limit: number): number => (limit > 500 ? 5_000 : 2_500);
const MAX_SCANNED_BYTES = 32_000_000;

/**
 * How many tasks each scan looks at: a few times the page first, then many more. Without conditions, one more than
 * the page is enough.
 */
function lengthsFor({ list, limit }: Asked): number[] {
  if (list.conditions.length === 0) return [limit + 1];
  const all = scanLengthFor(limit);
  return 5 * limit < all ? [5 * limit, all - 5 * limit] : [all];
}

interface Scan extends Asked {
  /** How many tasks are looked at. */
  readonly length: number;
}

type ScannedRow = SortedRow & { readonly fits: boolean | null; readonly isLast: boolean };

/** The matching tasks, and the task where the scan stopped; undefined if no index contains all tasks in this order. */
async function scan(
  db: EntityManager,
  scope: Scope,
  asked: Scan,
  key: SortKey,
): Promise<readonly ScannedRow[] | undefined> {
  const { list, after } = asked;
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id);
  const length = `${bindings.bind(asked.length)}::bigint`;
  const next = nextTasks(key, { conditions: list.conditions, after, length }, bindings);
  if (!next) return undefined;
  const text = `
    WITH next_tasks AS MATERIALIZED (${next.text})
    ${selectListed(matches(asked, length, bindings), list, sightedBy(scope, bindings), [
      't.position',
      't.fits',
      't.is_last AS "isLast"',
      `${next.isFilled} AS "isFilled"`,
    ])}`;
  const read = await sql<ReadRow<ScannedRow> & { isFilled: boolean }>(db, statementOf(text), bindings.values);
  const rows = tasksOf<ScannedRow>(scope.workflow, read);
  return read[0]?.isFilled === true ? rows : undefined;
}

/**
 * SQL: whether the task of an entry `k` may match, judged by its id and by a column's index. If few match, most of
 * the tasks need not be read, which are scattered over the disk.
 */
function mayMatch(conditions: readonly Condition[], bindings: Bindings): string {
  const { leading } = accessPath(conditions);
  const isLed =
    leading &&
    ` AND (SELECT true FROM tasks t WHERE ${ofWorkflow} AND ${allOf([leading], bindings)} AND t.id = k.task_id LIMIT 1)`;
  return `true${createdWithin(conditions, bindings, 'k.task_id')}${isLed ?? ''}`;
}

/** The query of the matching tasks among the next ones, in order, and of the last task looked at. */
function matches({ list, limit }: Asked, length: string, bindings: Bindings): string {
  const isWhole = list.conditions.length === 0;
  const conditions = allOf(list.conditions, bindings);
  return `
    SELECT t.*, t.step AS place, ${keysOf(sortTerms(list.sort, bindings))} AS position, (${conditions}) AS fits FROM (
      SELECT t.*, t.bytes - pg_column_size(t.field_values) < ${MAX_SCANNED_BYTES} AS is_looked_at,
        t.step = ${length} OR t.bytes >= ${MAX_SCANNED_BYTES} AS is_last
      FROM (
        SELECT t.*, k.step, sum(pg_column_size(t.field_values)) OVER looked_at AS bytes
        FROM (SELECT k.* FROM next_tasks k WHERE k.step = ${length} OR ${mayMatch(list.conditions, bindings)}) k
        CROSS JOIN LATERAL (SELECT t.* FROM tasks t WHERE ${ofWorkflow} AND t.id = k.task_id LIMIT 1) t
        WINDOW looked_at AS (ORDER BY k.step ROWS UNBOUNDED PRECEDING)
      ) t
    ) t
    WHERE ${isWhole ? 'true' : `CASE WHEN t.is_looked_at THEN t.is_last OR (${conditions}) END`}
    ORDER BY t.step LIMIT ${bindings.bind(limit + 1)}`;
}
