import { type Output } from './field-type.js';
import { JsonText, textAsJson } from '../../../packages/exact-json/json.js';
import { type ListedProperty, type Property } from './property.js';
import { type TaskView } from './task-view.js';
import { isBlankText } from '../../common/text.js';

/** The keys of a task in a response, each with the JSON text before its value. */
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
  // No key is left if a step names only keys that were removed from the definition.
  return text === '' ? '{}' : text + '}';
}

export function jsonOfTask(output: Output | JsonText): string {
  if (output === null) return 'null';
  if (typeof output === 'string') return textAsJson(output);
  return output instanceof JsonText ? output.text : JSON.stringify(output);
}

/** The part of a workflow that determines the titles of its tasks. */
interface Titled {
  readonly schema: { readonly properties: readonly Property[] };
}

/** The title of a task: its first one-line text field; if that is blank, its Unique ID or public id. */
export function titleOf({ schema }: Titled, task: TaskView): string {
  const property = titleProperty(schema.properties);
  const title = property?.serialize(task);
  if (typeof title === 'string' && !isBlankText(title)) return title;
  return task.uniqueValue ?? task.publicId;
}

export function titleProperty(properties: readonly Property[]): Property | undefined {
  return properties.find(
    ({ view, filter }) =>
      filter?.subject.of === 'field' && view?.ask.by === 'line' && view.ask.type === undefined,
  );
}
