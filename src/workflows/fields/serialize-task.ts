import { type Output } from './field-type.js';
import { JsonText, textAsJson } from '../../../packages/exact-json/json.js';
import { type ListedProperty } from './property.js';
import { type TaskView } from './task-view.js';

/** The keys that a response shows. `keys` holds the JSON text before each value, such as `{"Name":`. */
export interface TaskShape {
  readonly properties: readonly ListedProperty[];
  readonly keys: readonly string[];
}

export function shapeOf<P extends ListedProperty>(
  properties: readonly P[],
): TaskShape & { properties: readonly P[] } {
  const keys = properties.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return { properties, keys };
}

/** Writes JSON text: an object would move a field `10` to the front and lose a field `__proto__`. */
export function serializeTask({ keys, properties }: TaskShape, task: TaskView): string {
  let text = '';
  for (let index = 0; index < properties.length; index++)
    text += (keys[index] ?? '') + jsonOfTask(properties[index]?.serialize(task) ?? null);
  // A shape may have no keys. For example, a step may name only keys that the definition no longer has.
  return text === '' ? '{}' : text + '}';
}

export function jsonOfTask(output: Output | JsonText): string {
  if (output === null) return 'null';
  if (typeof output === 'string') return textAsJson(output);
  return output instanceof JsonText ? output.text : JSON.stringify(output);
}
