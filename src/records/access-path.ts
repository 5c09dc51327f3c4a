import { type Comparison, type Condition } from '../schema/condition.js';
import { mostByIndex } from './task-query.js';

/** The conditions of a list, taken apart by what can lead to its tasks without looking at all of them. */
export interface AccessPath {
  /** The one condition that an index in the order of creation serves. */
  readonly walked: Condition | undefined;
  /** What the walk has to look at task by task. */
  readonly checked: readonly Condition[];
  /** What an index finds in no order, and whether by the values of fields or by the time of change. */
  readonly probed: readonly Condition[];
  readonly probe: 'values' | 'updated' | undefined;
}

/** Chooses how to find the tasks that meet all the conditions. */
export function accessPath(conditions: readonly Condition[]): AccessPath {
  const walked = walkable.flatMap((of) => conditions.find((condition) => leads(condition, of)) ?? [])[0];
  const checked = conditions.filter((condition) => condition !== walked);
  const values = conditions.filter(isFoundByValue);
  if (values.length > 0) return { walked, checked, probed: values, probe: 'values' };
  const updated = conditions.flatMap(updatedBounds);
  return { walked, checked, probed: updated, probe: updated.length > 0 ? 'updated' : undefined };
}

/** Whether there is an index for each of the conditions. */
export function isFoundByIndex(conditions: readonly Condition[]): boolean {
  const { checked } = accessPath(conditions);
  return checked.every((condition) => isFoundByValue(condition) || updatedBounds(condition).length > 0);
}

// The most selective first.
const walkable = ['unique-value', 'assignee', 'stage', 'active'] as const;

function leads(condition: Condition, of: (typeof walkable)[number]): boolean {
  if (condition.is !== 'any-of' || condition.isNegated || condition.subject.of !== of) return false;
  // Several tasks of several Unique IDs are few all the same.
  return condition.values.length === 1 || (of === 'unique-value' && !condition.values.includes(null));
}

function isFoundByValue(condition: Condition): boolean {
  if (condition.is !== 'any-of' || condition.isNegated || condition.subject.of !== 'field') return false;
  return condition.values.length <= mostByIndex && !condition.values.includes(null);
}

/** A task that was created after a time was changed after it too. */
function updatedBounds(condition: Condition): Comparison[] {
  if (condition.is === 'any-of' || condition.is === 'contains') return [];
  const isBound =
    condition.subject.of === 'updated' ||
    (condition.subject.of === 'created' && condition.is.startsWith('gt'));
  return isBound ? [{ ...condition, subject: { of: 'updated' } }] : [];
}
