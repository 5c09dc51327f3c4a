import { type TaskSchema } from './task-schema.js';
import { type TaskView } from './task-view.js';

/**
 * Writes a task's JSON as text, key by key: a plain object would put a field called `10` before all others
 * and lose one called `__proto__`.
 */
export function serializeTask({ keys, properties }: TaskSchema, task: TaskView): string {
  let text = '';
  properties.forEach((property, index) => {
    text += (keys[index] ?? '') + JSON.stringify(property.serialize(task));
  });
  return text + '}';
}
