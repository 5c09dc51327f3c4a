import { JsonText } from '../../../packages/exact-json/json.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskView } from '../../workflows/fields/task-view.js';

/** The value of a key as the API shows it. */
export function shownValueOf(property: Property, { task }: { readonly task: TaskView }): Output {
  const value = property.serialize(task);
  return value instanceof JsonText ? null : value;
}

/** Whether a value, as the API shows it, is nothing. */
export const isBlankValue = (value: Output): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);
