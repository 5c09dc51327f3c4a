import { type Comparison, type Condition, isComparison } from '../schema/condition.js';
import { type FieldIndex } from '../schema/field-type.js';
import { type Bindings } from './where.sql.js';

// The indexes of fields: one table of sort keys, kept by a trigger. A blank field has the empty key, which no value has.

/** The entries of the field's index in SQL, of the table called `e`; none while it is being filled. */
export function entriesOf(index: FieldIndex, bindings: Bindings): string {
  return `task_sort_keys e WHERE e.workspace_id = $1 AND e.index_id = ${idOf(index, bindings)}`;
}

/** Whether the index holds all tasks, in SQL. */
export function isFilled(index: FieldIndex, bindings: Bindings): string {
  return `${idOf(index, bindings)} IS NOT NULL`;
}

function idOf({ fieldId }: FieldIndex, bindings: Bindings): string {
  return `(
    SELECT max(i.id) FROM field_indexes i
    WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.field_id = ${bindings.bind(fieldId)} AND i.is_filled)`;
}

/** A value as the index holds it. */
export function keyOfIndex(value: unknown, { kind }: FieldIndex, bindings: Bindings): string {
  return `sort_key_of(${bindings.bind(value)}::text, '${kind}')`;
}

/** A comparison with one bound, of a field that has an index. */
type Range = Comparison & { readonly index: FieldIndex };

function isRange(condition: Condition): condition is Range {
  return isComparison(condition) && condition.index !== undefined && condition.bounds.length === 1;
}

/** The ranges among the conditions of one field: of the given one, or else of the first that has an index. */
export function rangesOf(conditions: readonly Condition[], fieldId?: string): readonly Range[] {
  const ranges = conditions.filter(isRange);
  const wanted = fieldId ?? ranges[0]?.index.fieldId;
  return ranges.filter(({ index }) => index.fieldId === wanted);
}

/** That an entry is within the ranges, or at their ends, where a text may be longer than its key. */
export function isWithin(ranges: readonly Range[], bindings: Bindings): string {
  const bounds = ranges.map(({ is, index, bounds: [bound] }) => {
    const sign = is.startsWith('gt') ? '>=' : '<=';
    return `e.sort_key ${sign} ${keyOfIndex(bound, index, bindings)}`;
  });
  return ["e.sort_key > ''", ...bounds].join(' AND ');
}

/** A query of the tasks, as `task_id`, that may be within the ranges; further conditions may follow. */
export function tasksWithin(ranges: readonly Range[], bindings: Bindings): string {
  const [first] = ranges;
  if (!first) throw new Error('no range to look for');
  return `SELECT e.task_id FROM ${entriesOf(first.index, bindings)} AND ${isWithin(ranges, bindings)}`;
}
