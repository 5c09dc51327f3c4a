import { type Comparison, type Condition, isComparison } from '../schema/condition.js';
import { type FieldIndex } from '../schema/field-type.js';
import { type Bindings } from './where.sql.js';

// The indexes of fields: one table of sort keys, kept by a trigger. Only a blank field has the empty key.

/** SQL: the entries of the field's index, of the table called `e`; none while it is being filled. */
export function entriesOf(index: FieldIndex, bindings: Bindings): string {
  return `task_sort_keys e WHERE e.workspace_id = $1 AND e.index_id = ${idOf(index, bindings)}`;
}

/** SQL: whether the index contains all tasks. */
export function isFilled(index: FieldIndex, bindings: Bindings): string {
  return `${idOf(index, bindings)} IS NOT NULL`;
}

function idOf({ fieldId }: FieldIndex, bindings: Bindings): string {
  return `(
    SELECT max(i.id) FROM field_indexes i
    WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.field_id = ${bindings.bind(fieldId)} AND i.is_filled)`;
}

/** SQL: the sort key of a value. */
export function keyOfIndex(value: unknown, { kind }: FieldIndex, bindings: Bindings): string {
  return `sort_key_of(${bindings.bind(value)}::text, '${kind}')`;
}

/** A comparison of an indexed field with one bound. */
type Range = Comparison & { readonly index: FieldIndex };

function isRange(condition: Condition): condition is Range {
  return isComparison(condition) && condition.index !== undefined && condition.bounds.length === 1;
}

/** The ranges in the conditions of one field: the given one, or the first that has an index. */
export function rangesOf(conditions: readonly Condition[], fieldId?: string): readonly Range[] {
  const ranges = conditions.filter(isRange);
  const wanted = fieldId ?? ranges[0]?.index.fieldId;
  return ranges.filter(({ index }) => index.fieldId === wanted);
}

/** SQL: whether an entry is within the ranges or at their ends, since a text may be longer than its key. */
export function isWithin(ranges: readonly Range[], bindings: Bindings): string {
  const bounds = ranges.map(({ is, index, bounds: [bound] }) => {
    const sign = is.startsWith('gt') ? '>=' : '<=';
    return `e.sort_key ${sign} ${keyOfIndex(bound, index, bindings)}`;
  });
  return ["e.sort_key > ''", ...bounds].join(' AND ');
}

/** A query of the tasks, as `task_id`, that may be within the ranges; further conditions may be appended. */
export function tasksWithin(ranges: readonly Range[], bindings: Bindings): string {
  const [first] = ranges;
  if (!first) throw new Error('no range to look for');
  return `SELECT e.task_id FROM ${entriesOf(first.index, bindings)} AND ${isWithin(ranges, bindings)}`;
}
