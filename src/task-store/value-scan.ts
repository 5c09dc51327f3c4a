import { type Condition } from '../schema/condition.js';
import { type Ranked } from '../schema/field-type.js';
import { type Workflow } from '../workspace/workspace.js';
import { ofWorkflow } from './task-row.js';
import { type Bindings } from './where.sql.js';

/** Some values of a task column whose index orders tasks of the same value by creation. */
export interface ColumnValues {
  readonly column: 't.stage_id' | 't.assignee_id';
  readonly type: 'integer' | 'text';
  readonly values: readonly Ranked[];
}

/**
 * The values of a list that is filtered only by `Stage` or only by `Assigned To`; undefined if they are many, or
 * include blank.
 */
export function columnValues(
  { schema }: Workflow,
  conditions: readonly Condition[],
): ColumnValues | undefined {
  const of = conditions[0]?.subject.of;
  const column = columns.get(of ?? '');
  if (!column) return undefined;
  const admits = (value: Ranked): boolean =>
    conditions.every((one) => one.is === 'any-of' && one.values.includes(value) !== one.isNegated);
  const isAlone = conditions.every(({ is, subject }) => is === 'any-of' && subject.of === of);
  const order = schema.byName.get(column.name)?.filter?.order;
  if (!isAlone || order?.by !== 'rank' || (of === 'assignee' && admits(null))) return undefined;
  const values = order.ranks.filter(admits);
  return values.length > MAX_VALUES ? undefined : { ...column, values };
}

const columns = new Map<string, Omit<ColumnValues, 'values'> & { readonly name: string }>([
  ['stage', { name: 'Stage', column: 't.stage_id', type: 'integer' }],
  ['assignee', { name: 'Assigned To', column: 't.assignee_id', type: 'text' }],
]);

/** Each value costs a search for a whole page. */
const MAX_VALUES = 50;

/**
 * A query of the next ids of tasks with one of these values, at most `limit` (SQL). Written as a comparison of rows
 * in index order, so that each value's scan starts at the first task after `after`.
 */
export function idsOfValues(
  { column, type, values }: ColumnValues,
  { isNewestFirst, after }: { readonly isNewestFirst: boolean; readonly after: string | undefined },
  limit: string,
  bindings: Bindings,
): string {
  const direction = isNewestFirst ? ' DESC' : '';
  const [further, within] = isNewestFirst ? ['<', '>='] : ['>', '<='];
  const from = bindings.bind(after ?? (isNewestFirst ? '9223372036854775807' : '0'));
  return `
    SELECT k.id FROM unnest(${bindings.bind(values)}::${type}[]) v (value)
    CROSS JOIN LATERAL (
      SELECT t.id FROM tasks t
      WHERE ${ofWorkflow} AND (${column}, t.id) ${further} (v.value, ${from}::bigint) AND ${column} ${within} v.value
      ORDER BY ${column}${direction}, t.id${direction} LIMIT ${limit}
    ) k
    ORDER BY k.id${direction} LIMIT ${limit}`;
}
