import {
  type Comparison,
  type Condition,
  isComparison,
  isLinkedFilter,
  type LinkedFilter,
} from '../schema/condition.js';
import { type Workflow } from '../workspace/workspace.js';
import {
  isCreationBound,
  allOf,
  type Bindings,
  MAX_VALUES_BY_INDEX,
  tasksLinked,
  valueExpression,
} from './where.sql.js';
import { isFilled, rangesOf, tasksWithin } from './field-index.js';
import { ofWorkflow } from './task-row.js';
import { columnValues } from './value-scan.js';
import { hasAllWords, isWordSearch, tasksWithWords } from './word-search.js';

/** The conditions of a list, grouped by the index that can serve them. */
export interface AccessPath {
  /** One condition that narrows an ordered scan: an index stores it together with the order of creation. */
  readonly leading: Condition | undefined;
  /** The conditions that an ordered scan checks for each task. */
  readonly checked: readonly Condition[];
  /** The conditions of an index scan, and its index: values, a range, linked tasks, times of change, or words. */
  readonly indexed: readonly Condition[];
  readonly index: 'values' | 'range' | 'linked' | 'updated' | 'words' | undefined;
}

/** Chooses the way to find the tasks that meet all conditions. */
export function accessPath(conditions: readonly Condition[]): AccessPath {
  const leading = leadingSubjects.flatMap(
    (of) => conditions.find((condition) => leads(condition, of)) ?? [],
  )[0];
  const checked = conditions.filter((condition) => condition !== leading);
  const values = conditions.filter(isFoundByValue);
  if (values.length > 0) return { leading, checked, indexed: values, index: 'values' };
  const ranges = rangesOf(conditions);
  if (ranges.length > 0) return { leading, checked, indexed: ranges, index: 'range' };
  const linked = conditions.filter((one) => isLinkedFilter(one) && !one.isNegated).slice(0, 1);
  if (linked.length > 0) return { leading, checked, indexed: linked, index: 'linked' };
  const updated = conditions.flatMap(updatedBounds);
  return { leading, checked, indexed: updated, index: updated.length > 0 ? 'updated' : undefined };
}

/** Whether an index other than that of the sort can find tasks by some of the conditions. */
export function isFoundByConditions(conditions: readonly Condition[]): boolean {
  const { leading, index } = accessPath(conditions);
  return (
    leading !== undefined ||
    index !== undefined ||
    conditions.some((one) => isCreationBound(one) || isWordSearch(one))
  );
}

/** Whether each condition has an index. */
export function isFoundByIndex(workflow: Workflow, conditions: readonly Condition[]): boolean {
  if (columnValues(workflow, conditions)) return true;
  const { checked } = accessPath(conditions);
  return checked.every(
    (condition) =>
      isFoundByValue(condition) || updatedBounds(condition).length > 0 || isCreationBound(condition),
  );
}

// Ordered from most to least selective.
const leadingSubjects = ['unique-value', 'assignee', 'stage', 'active'] as const;

function leads(condition: Condition, of: (typeof leadingSubjects)[number]): boolean {
  if (condition.is !== 'any-of' || condition.isNegated || condition.subject.of !== of) return false;
  // Each Unique ID has at most one task, so several are still few.
  return condition.values.length === 1 || (of === 'unique-value' && !condition.values.includes(null));
}

function isFoundByValue(condition: Condition): boolean {
  if (condition.is === 'one-of') return condition.conditions.every(isFoundByValue);
  if (condition.is !== 'any-of' || condition.isNegated || condition.subject.of !== 'field') return false;
  return condition.values.length <= MAX_VALUES_BY_INDEX && !condition.values.includes(null);
}

/** A lower bound on the creation also bounds the last change, which is never earlier. */
function updatedBounds(condition: Condition): Comparison[] {
  if (!isComparison(condition)) return [];
  const isBound =
    condition.subject.of === 'updated' ||
    (condition.subject.of === 'created' && condition.is.startsWith('gt'));
  return isBound ? [{ ...condition, subject: { of: 'updated' } }] : [];
}

/** An index that finds more tasks than this is too slow. */
export const MAX_CANDIDATES = 10_000;

type IndexScan = Pick<AccessPath, 'indexed' | 'index'>;

/**
 * A query of the tasks that an index finds, unordered, up to `MAX_CANDIDATES` + 1, each with whether it meets all
 * conditions. Returns none unless `isAsked` (SQL) is true.
 */
export function candidates(
  { indexed, index }: IndexScan,
  conditions: readonly Condition[],
  isAsked: string,
  bindings: Bindings,
): string {
  if (index === 'range') return inRange(conditions, isAsked, bindings);
  const others = conditions.filter((condition) => !indexed.includes(condition));
  if (index === 'words') return withWords(indexed, others, isAsked, bindings);
  const [linked] = indexed.filter(isLinkedFilter);
  if (linked) return checkedOf(linkedWithin(linked, isAsked, bindings), others, bindings);
  // `+ 0` hides the workflow's own index, which might tempt the planner into an unlimited ordered scan.
  const own = index === 'values' ? 't.workspace_id = $1 AND t.workflow_id + 0 = $2' : ofWorkflow;
  return `
    SELECT t.id, (${allOf(others, bindings)}) AS fits FROM tasks t
    WHERE ${isAsked} AND ${own} AND ${allOf(indexed, bindings)}
    ${index === 'updated' ? `ORDER BY ${valueExpression({ of: 'updated' }, bindings)}` : ''}
    LIMIT ${MAX_CANDIDATES + 1}`;
}

/** DISTINCT, since one task may be linked to many that meet the conditions. */
function linkedWithin(linked: LinkedFilter, isAsked: string, bindings: Bindings): string {
  return `SELECT DISTINCT k.task_id FROM (${tasksLinked(linked, bindings)}) k (task_id)
    WHERE ${isAsked} LIMIT ${MAX_CANDIDATES + 1}`;
}

/** A field's index may return some tasks outside the ranges, so the ranges are checked again. */
function inRange(conditions: readonly Condition[], isAsked: string, bindings: Bindings): string {
  const found = `${tasksWithin(rangesOf(conditions), bindings)} AND ${isAsked} LIMIT ${MAX_CANDIDATES + 1}`;
  return checkedOf(found, conditions, bindings);
}

function withWords(
  indexed: readonly Condition[],
  others: readonly Condition[],
  isAsked: string,
  bindings: Bindings,
): string {
  const [search] = indexed.filter(isWordSearch);
  if (!search) throw new Error('no words to look for');
  const most = `(CASE WHEN ${isAsked} THEN ${MAX_CANDIDATES + 1} ELSE 0 END)::bigint`;
  const found = tasksWithWords(search, most, bindings);
  return others.length === 0
    ? `SELECT k.task_id AS id, true AS fits FROM (${found}) k`
    : checkedOf(found, others, bindings);
}

/** The tasks of a query, each with whether it meets the conditions. */
function checkedOf(found: string, conditions: readonly Condition[], bindings: Bindings): string {
  return `
    SELECT t.id, (${allOf(conditions, bindings)}) AS fits FROM (${found}) k
    CROSS JOIN LATERAL (SELECT t.* FROM tasks t WHERE ${ofWorkflow} AND t.id = k.task_id LIMIT 1) t`;
}

/** SQL: whether the index contains all tasks. */
export function isIndexFilled(
  index: AccessPath['index'],
  conditions: readonly Condition[],
  bindings: Bindings,
): string {
  if (index === 'words') return hasAllWords;
  const [range] = index === 'range' ? rangesOf(conditions) : [];
  return range ? isFilled(range.index, bindings) : 'true';
}
