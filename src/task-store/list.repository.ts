import { type EntityManager } from 'typeorm';
import { type Condition } from '../schema/condition.js';
import { type AccessPath, accessPath, candidates, isIndexFilled, MAX_CANDIDATES } from './access-path.js';
import { allOf, Bindings, valueExpression, createdWithin, isCreationBound } from './where.sql.js';
import { sql, statementOf } from '../database/sql.js';
import { isWordSearch } from './word-search.js';
import { type ColumnValues, columnValues, idsOfValues } from './value-scan.js';
import { sightedBy } from './seen.js';
import {
  type ListedRow,
  ofWorkflow,
  type ReadRow,
  selectListed,
  type ShownShape,
  tasksOf,
} from './task-row.js';
import { type Scope } from '../workspace/scope.js';

/**
 * Reads the next chunk of a list: by an index scan if an index finds few matching tasks, otherwise by an ordered
 * scan. An ordered scan stops after some thousand tasks, so that no filter makes a request read all of them. A chunk
 * may therefore be shorter than its limit although a next one exists.
 */
export async function listByCreation(db: EntityManager, scope: Scope, chunk: ListChunk): Promise<ChunkRows> {
  const path = accessPath(chunk.conditions);
  const values = path.checked.length > 0 ? columnValues(scope.workflow, chunk.conditions) : undefined;
  if (values) return valueScan(db, scope, chunk, values);
  if (chunk.conditions.some(isCreationBound)) return scanWithin(db, scope, chunk, path);
  const indexed = chunk.isOrderedScan ? undefined : await firstIndexScan(db, scope, chunk, path);
  return indexed ?? orderedScan(db, scope, chunk, path);
}

/**
 * A bound on the creation makes an ordered scan fast, unless thousands of tasks were created at about that time. In
 * that case, the index of times of change finds the tasks after it.
 */
async function scanWithin(
  db: EntityManager,
  scope: Scope,
  chunk: ListChunk,
  path: AccessPath,
): Promise<ChunkRows> {
  const isByTime = path.index === 'updated';
  const indexed = isByTime || chunk.isOrderedScan ? undefined : await firstIndexScan(db, scope, chunk, path);
  const found = indexed ?? (await orderedScan(db, scope, chunk, path));
  if (!isByTime || chunk.isOrderedScan || found.rows.length > 0 || found.next === undefined) return found;
  return (await indexScan(db, scope, chunk, path)) ?? found;
}

/** Uses the index of words if words are given and rare; otherwise the index of the path. */
async function firstIndexScan(
  db: EntityManager,
  scope: Scope,
  chunk: ListChunk,
  path: AccessPath,
): Promise<ChunkRows | undefined> {
  const words = chunk.conditions.filter(isWordSearch);
  const found =
    words.length === 0
      ? undefined
      : await indexScan(db, scope, chunk, { ...path, indexed: words, index: 'words' });
  return found ?? indexScan(db, scope, chunk, path);
}

/** If 200 tasks in a row contain 3 matches, an index scan would find too many in all. */
const sample = { size: 200, few: 3 };

/** Finds the tasks by an index, and sorts them; undefined if an ordered scan is better. */
async function indexScan(
  db: EntityManager,
  scope: Scope,
  chunk: ListChunk,
  { indexed, index }: AccessPath,
): Promise<ChunkRows | undefined> {
  if (!index) return undefined;
  const { conditions, limit } = chunk;
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id);
  const order = orderOf(chunk, bindings);
  const few = `(SELECT count(*) < ${sample.few} FROM sample)`;
  const text = `
    WITH sample AS MATERIALIZED (
      SELECT FROM (
        SELECT t.* FROM tasks t WHERE ${ofWorkflow}${order.behind}
        ORDER BY t.id${order.direction} LIMIT ${sample.size}
      ) t
      WHERE ${allOf(indexed, bindings)} LIMIT ${sample.few}
    ), candidates AS MATERIALIZED (
      ${candidates({ indexed, index }, conditions, few, bindings)}
    )
    ${selectListed(
      `SELECT t.*, ${order.place} AS place FROM tasks t
       WHERE ${ofWorkflow} AND t.id = ANY(ARRAY(
         SELECT t.id FROM candidates t WHERE t.fits${order.behind}
         ORDER BY t.id${order.direction} LIMIT ${bindings.bind(limit + 1)}
       ))`,
      chunk,
      sightedBy(scope, bindings),
      [
        `${few} AND (SELECT count(*) <= ${MAX_CANDIDATES} FROM candidates)
           AND ${isIndexFilled(index, conditions, bindings)} AS "isComplete"`,
      ],
    )}`;
  const read = await sql<ReadRow<ListedRow> & { isComplete: boolean }>(
    db,
    statementOf(text),
    bindings.values,
  );
  const rows = tasksOf<ListedRow>(scope.workflow, read);
  return read[0]?.isComplete === true ? chunkOf(rows, limit, false) : undefined;
}

/** Reads the next tasks that have one of these values, in the list's order. */
async function valueScan(
  db: EntityManager,
  scope: Scope,
  chunk: ListChunk,
  values: ColumnValues,
): Promise<ChunkRows> {
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id);
  const ids = idsOfValues(values, chunk, `${bindings.bind(chunk.limit + 1)}::bigint`, bindings);
  const rows = `
    SELECT t.*, ${chunk.isNewestFirst ? '-t.id' : 't.id'} AS place FROM (${ids}) k
    CROSS JOIN LATERAL (SELECT t.* FROM tasks t WHERE ${ofWorkflow} AND t.id = k.id LIMIT 1) t`;
  const text = selectListed(rows, chunk, sightedBy(scope, bindings));
  const read = await sql<ReadRow<ListedRow>>(db, statementOf(text), bindings.values);
  return chunkOf(tasksOf<ListedRow>(scope.workflow, read), chunk.limit, chunk.isOrderedScan);
}

/** A part of a list in the order of creation. */
interface ListChunk extends ShownShape {
  readonly conditions: readonly Condition[];
  readonly isNewestFirst: boolean;
  /** The task after which it begins; absent at the beginning of the list. */
  readonly after: string | undefined;
  /** How many tasks at most. */
  readonly limit: number;
  /** Whether the previous chunk came from an ordered scan, which rules an index scan out again. */
  readonly isOrderedScan: boolean;
}

interface ChunkRows {
  readonly rows: readonly ListedRow[];
  /** The task after which more may follow. */
  readonly next: string | undefined;
  readonly isOrderedScan: boolean;
}

/** The chunk of these rows, which may include one more than the limit. */
function chunkOf(rows: readonly ListedRow[], limit: number, isOrderedScan: boolean): ChunkRows {
  const kept = rows.slice(0, limit);
  return { rows: kept, next: rows.length > limit ? kept.at(-1)?.id : undefined, isOrderedScan };
}

/** SQL: the order of a chunk, for the table called `t`. */
export interface ScanOrder {
  readonly direction: string;
  /** The condition that a task comes after the beginning of the chunk. */
  readonly behind: string;
  /** A number that increases in this order. */
  readonly place: string;
}

function orderOf({ isNewestFirst, after }: ListChunk, bindings: Bindings): ScanOrder {
  const sign = isNewestFirst ? '<' : '>';
  return {
    direction: isNewestFirst ? ' DESC' : '',
    behind: after === undefined ? '' : ` AND t.id ${sign} ${bindings.bind(after)}::bigint`,
    place: isNewestFirst ? '-t.id' : 't.id',
  };
}

// Enough if one task in ten meets the conditions. Only two lengths, because each makes a separate statement.
const scanLengthFor = (limit: number): number => (limit > 500 ? 10_000 : 5_000);

// Checking a text of a million characters takes time.
const MAX_SCANNED_BYTES = 32_000_000;

/** Reads a limited number of tasks in the list's order, checks each, and returns where it stopped. */
async function orderedScan(
  db: EntityManager,
  scope: Scope,
  chunk: ListChunk,
  { leading, checked }: AccessPath,
): Promise<ChunkRows> {
  const { limit } = chunk;
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id);
  const order = orderOf(chunk, bindings);
  const within = createdWithin(checked, bindings);
  // The index of the leading condition continues with the order; the index of active tasks has the order only.
  const isLed = leading?.is === 'any-of' && leading.values.length === 1 && leading.subject.of !== 'active';
  const lead = isLed ? `${valueExpression(leading.subject, bindings)}${order.direction}, ` : '';
  const by = `${lead}t.id${order.direction}`;
  const led = leading ? ` AND ${allOf([leading], bindings)}` : '';
  const among = `${ofWorkflow}${order.behind}${within}${led}`;
  const scan = { order, among, by, limit };
  const rowsText = checked.length === 0 ? allOfScan(scan, bindings) : fittingOfScan(scan, checked, bindings);
  const further = ['t.fits', 't.is_last AS "isLast"'];
  const text = selectListed(rowsText, chunk, sightedBy(scope, bindings), further);
  const read = await sql<ReadRow<ScannedRow>>(db, statementOf(text), bindings.values);
  const rows = tasksOf<ScannedRow>(scope.workflow, read);
  const last = rows.at(-1);
  const found = chunkOf(
    rows.filter(({ fits }) => fits),
    limit,
    true,
  );
  return found.next === undefined && last?.isLast === true ? { ...found, next: last.id } : found;
}

/** Tasks in an order, their conditions, and the columns of the index. */
interface Scan {
  readonly order: ScanOrder;
  readonly among: string;
  readonly by: string;
  readonly limit: number;
}

function allOfScan({ order, among, by, limit }: Scan, bindings: Bindings): string {
  return `
    SELECT t.*, ${order.place} AS place, true AS fits, false AS is_last FROM (
      SELECT t.* FROM tasks t WHERE ${among}
      ORDER BY ${by} LIMIT ${bindings.bind(limit + 1)}
    ) t`;
}

/** The tasks that meet the conditions among a limited number, and the last task looked at. */
function fittingOfScan(
  { order, among, by, limit }: Scan,
  checked: readonly Condition[],
  bindings: Bindings,
): string {
  const length = scanLengthFor(limit);
  return `
    SELECT t.*, ${order.place} AS place, (${allOf(checked, bindings)}) AS fits FROM (
      SELECT t.*, t.bytes - pg_column_size(t.field_values) < ${MAX_SCANNED_BYTES} AS is_looked_at,
        t.step = ${length} OR t.bytes >= ${MAX_SCANNED_BYTES} AS is_last
      FROM (
        SELECT t.*, row_number() OVER looked_at AS step,
          sum(pg_column_size(t.field_values)) OVER looked_at AS bytes
        FROM tasks t WHERE ${among}
        WINDOW looked_at AS (ORDER BY ${by} ROWS UNBOUNDED PRECEDING)
        ORDER BY ${by} LIMIT ${length}
      ) t
    ) t
    WHERE CASE WHEN t.is_looked_at THEN t.is_last OR (${allOf(checked, bindings)}) END
    ORDER BY t.id${order.direction} LIMIT ${bindings.bind(limit + 1)}`;
}

type ScannedRow = ListedRow & { readonly fits: boolean | null; readonly isLast: boolean };
