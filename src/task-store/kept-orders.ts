import { isDeepStrictEqual } from 'node:util';
import { type Condition } from '../schema/condition.js';
import { type FieldIndex, type Ranked } from '../schema/field-type.js';
import { type SortKey } from '../schema/list-query.js';
import { entriesOf, isFilled, isWithin, keyOfIndex, rangesOf } from './field-index.js';
import { type Bindings, type Position } from './where.sql.js';

/** An index that orders tasks by the values of one key, and tasks with the same value by creation. */
interface KeptOrder {
  /** Its entries, of the table called `e`; further conditions may be appended. */
  readonly entries: string;
  readonly value: string;
  readonly type: 'text' | 'integer';
  readonly id: string;
  /** How the index represents a blank. */
  readonly blank: 'none' | 'null' | 'empty';
  /** Whether it may contain values that the list no longer ranks. */
  readonly hasStrays: boolean;
  /** Present if values sort by themselves. */
  readonly index?: FieldIndex;
}

/** Whether an index has the order of this sort. */
export function isKeptInOrder([first, ...others]: readonly SortKey[]): boolean {
  if (!first || others.length > 0) return false;
  return first.index !== undefined || ['stage', 'assignee', 'updated'].includes(first.subject.of);
}

function keptOrderOf({ subject, index }: SortKey, bindings: Bindings): KeptOrder | undefined {
  const tasks = 'tasks e WHERE e.workspace_id = $1 AND e.workflow_id = $2';
  const ofColumn = { entries: tasks, id: 'e.id', hasStrays: false };
  if (subject.of === 'stage') return { ...ofColumn, value: 'e.stage_id', type: 'integer', blank: 'none' };
  if (subject.of === 'assignee') return { ...ofColumn, value: 'e.assignee_id', type: 'text', blank: 'null' };
  if (!index) return undefined;
  const ofField = { entries: entriesOf(index, bindings), value: 'e.sort_key', id: 'e.task_id', index };
  return { ...ofField, type: 'text', blank: 'empty', hasStrays: true };
}

/** The request for an order: the next tasks after a position, at most `length` (SQL). */
interface Wanted {
  readonly conditions: readonly Condition[];
  readonly after: Position | undefined;
  readonly length: string;
}

/** The next tasks of an order. */
export interface NextTasks {
  /** A query with `task_id`, and `step`, which counts from 1. */
  readonly text: string;
  /** SQL: whether the index contains all tasks. */
  readonly isFilled: string;
}

/** The next tasks in the order of a sort's key, from the index with that order; undefined if there is none. */
export function nextTasks(key: SortKey, wanted: Wanted, bindings: Bindings): NextTasks | undefined {
  const order = keptOrderOf(key, bindings);
  if (!order) return undefined;
  const text =
    key.order.by === 'rank'
      ? byRanks(order, key, key.order.ranks, wanted, bindings)
      : order.index && byValues(order, key, order.index, wanted, bindings);
  return text === undefined
    ? undefined
    : { text, isFilled: order.index ? isFilled(order.index, bindings) : 'true' };
}

/**
 * Orders tasks by values that sort by themselves. Even in descending order, tasks with the same value come in the
 * order of creation. So the value at which a descending scan stops is scanned again, from its oldest task.
 */
function byValues(
  { entries }: KeptOrder,
  { isDescending }: SortKey,
  index: FieldIndex,
  { conditions, after, length }: Wanted,
  bindings: Bindings,
): string {
  const direction = isDescending ? ' DESC' : '';
  const some = (where: string, order: string): string => `
    (SELECT e.sort_key, e.task_id FROM ${entries} AND ${where} ORDER BY ${order} LIMIT ${length})`;
  const ranges = rangesOf(conditions, index.fieldId);
  const within = isWithin(ranges, bindings);
  const [value, task] = after ?? [];
  const behindTask = task == null ? '' : ` AND e.task_id > ${bindings.bind(task)}::bigint`;
  const blanks =
    ranges.length > 0 ? [] : [some(`e.sort_key = ''${value === null ? behindTask : ''}`, 'e.task_id')];
  if (value === null) return numbered(blanks[0] ?? nothing, direction, length);
  const bound = value === undefined ? undefined : keyOfIndex(value, index, bindings);
  const beyond = bound === undefined ? '' : ` AND e.sort_key ${isDescending ? '<' : '>'} ${bound}`;
  const alike = bound !== undefined && behindTask !== '' ? [`${within} AND e.sort_key = ${bound}${behindTask}`] : []; // prettier-ignore
  const last = `e.sort_key = (SELECT min(f.sort_key) FROM further f HAVING count(*) = ${length})`;
  const parts = [
    ...alike.map((where) => some(where, 'e.task_id')),
    'SELECT * FROM further',
    ...(isDescending ? [some(last, 'e.task_id')] : []),
    ...blanks,
  ];
  return `
    WITH further AS MATERIALIZED ${some(`${within}${beyond}`, `e.sort_key${direction}, e.task_id${direction}`)}
    ${numbered(parts.join(' UNION '), direction, length)}`;
}

const nothing = "SELECT '' AS sort_key, 0::bigint AS task_id WHERE false";

function numbered(entries: string, direction: string, length: string): string {
  return `
    SELECT k.task_id, row_number() OVER (ORDER BY k.sort_key = '', k.sort_key${direction}, k.task_id) AS step
    FROM (${entries}) k ORDER BY step LIMIT ${length}`;
}

/**
 * Orders tasks by values that a list ranks: value by value, until there are enough. PostgreSQL joins and appends in
 * the order written here, and skips the parts that the limit does not need.
 */
function byRanks(
  order: KeptOrder,
  key: SortKey,
  ranks: readonly Ranked[],
  { conditions, after, length }: Wanted,
  bindings: Bindings,
): string {
  const groups = groupsOf(order, ranks, key.isDescending)
    .filter(({ value }) => value === strays || isAdmitted(value, key, conditions))
    .flatMap((group) => behindPosition(group, key, after));
  const parts = runsOf(groups).map(
    (run) => `SELECT p.task_id FROM ${tasksOfRun(order, run, ranks, length, bindings)} p`,
  );
  return `
    SELECT k.task_id, row_number() OVER () AS step
    FROM (${parts.join(' UNION ALL ') || 'SELECT 0::bigint AS task_id WHERE false'} LIMIT ${length}) k`;
}

/** Stands for values that the list does not rank (any more); they come after the ranked ones. */
const strays = Symbol('strays');

/** The tasks with one value, without a value, or with any unranked value. */
interface Group {
  readonly value: Ranked | typeof strays;
  /** The rank in a position. */
  readonly rank: number | null;
}

function groupsOf({ blank, hasStrays }: KeptOrder, ranks: readonly Ranked[], isDescending: boolean): Group[] {
  const ranked = ranks.map((value, at): Group => ({ value, rank: at + 1 }));
  const all: Group[] = [
    ...ranked,
    ...(hasStrays ? [{ value: strays, rank: ranks.length + 1 } as const] : []),
  ];
  const blanks: Group[] = blank === 'none' || ranks.includes(null) ? [] : [{ value: null, rank: null }];
  return [...(isDescending ? all.toReversed() : all), ...blanks];
}

/** Whether the conditions on the key itself allow this value: other values can be skipped. */
function isAdmitted(value: Ranked, { subject }: SortKey, conditions: readonly Condition[]): boolean {
  return conditions.every(
    (condition) =>
      condition.is !== 'any-of' ||
      !isDeepStrictEqual(condition.subject, subject) ||
      condition.values.includes(value) !== condition.isNegated,
  );
}

/** A group without its tasks up to this id. */
type Begun = Group & { readonly behind: string };

function behindPosition(group: Group, { isDescending }: SortKey, after: Position | undefined): Begun[] {
  if (!after) return [{ ...group, behind: '0' }];
  const [rank, task] = after;
  const placeOf = (one: string | number | null | undefined): number =>
    one == null ? Infinity : Number(one) * (isDescending ? -1 : 1);
  const [own, last] = [placeOf(group.rank), placeOf(rank)];
  if (own === last) return task == null ? [] : [{ ...group, behind: task }];
  return own > last ? [{ ...group, behind: '0' }] : [];
}

/** Adjacent groups that one part of the query can read. */
function runsOf(groups: readonly Begun[]): Begun[][] {
  const isApart = ({ value }: Begun): boolean => value === strays || value === null;
  const runs: Begun[][] = [];
  for (const group of groups) {
    const run = runs.at(-1);
    if (run?.[0] && !isApart(run[0]) && !isApart(group)) run.push(group);
    else runs.push([group]);
  }
  return runs;
}

function tasksOfRun(
  order: KeptOrder,
  run: readonly Begun[],
  ranks: readonly Ranked[],
  length: string,
  bindings: Bindings,
): string {
  const [first] = run;
  const behind = bindings.bind(run.map((group) => group.behind));
  if (first?.value === null && order.blank === 'null')
    return `(
      SELECT ${order.id} AS task_id FROM ${order.entries} AND ${order.value} IS NULL AND ${order.id} > (${behind}::bigint[])[1]
      ORDER BY ${order.value}, ${order.id} LIMIT ${length})`;
  if (first?.value === strays)
    return `(
      SELECT k.task_id FROM (${strayValues(order, ranks, bindings)}) v
      CROSS JOIN LATERAL (${tasksOfValue(order, `(${behind}::bigint[])[1]`, length)}) k
      ORDER BY k.task_id LIMIT ${length})`;
  const values = bindings.bind(run.map(({ value }) => (value === null ? '' : String(value))));
  return `(
    SELECT k.task_id FROM unnest(${values}::${order.type}[], ${behind}::bigint[]) v (value, behind)
    CROSS JOIN LATERAL (${tasksOfValue(order, 'v.behind', length)}) k)`;
}

/** Written as a comparison of rows in index order, which PostgreSQL can start at the first task. */
function tasksOfValue({ entries, value, id }: KeptOrder, behind: string, length: string): string {
  return `
    SELECT ${id} AS task_id FROM ${entries} AND (${value}, ${id}) > (v.value, ${behind}) AND ${value} <= v.value
    ORDER BY ${value}, ${id} LIMIT ${length}`;
}

/** The values that the list does not rank, found by jumping through the index from each value to the next. */
function strayValues({ entries }: KeptOrder, ranks: readonly Ranked[], bindings: Bindings): string {
  const next = (than: string): string =>
    `(SELECT e.sort_key FROM ${entries} AND e.sort_key > ${than} ORDER BY e.sort_key LIMIT 1)`;
  const ranked = bindings.bind(ranks.map((rank) => (rank === null ? '' : String(rank))));
  return `
    WITH RECURSIVE found AS (
      SELECT ${next("''")} AS value UNION ALL SELECT ${next('f.value')} FROM found f WHERE f.value IS NOT NULL
    )
    SELECT f.value FROM found f WHERE f.value <> ALL(${ranked}::text[])`;
}
