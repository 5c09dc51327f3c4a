import { type Output } from './field-type.js';
import { JsonText, textAsJson } from '../lib/json/json.js';
import { TEXT_LENGTH, type Pause } from '../lib/turn.js';
import { type ListedProperty } from './property.js';
import { type TaskView } from './task-view.js';

/** The keys of a task as a response shows them, each with the JSON text in front of its value. */
export interface TaskShape {
  readonly properties: readonly ListedProperty[];
  readonly keys: readonly string[];
}

/** The shape of these keys, in this order. */
export function shapeOf<P extends ListedProperty>(
  properties: readonly P[],
): TaskShape & { properties: readonly P[] } {
  const keys = properties.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return { properties, keys };
}

/**
 * Writes a task's JSON as text, key by key: a plain object would put a field called `10` before all others
 * and lose one called `__proto__`.
 */
export function serializeTask({ keys, properties }: TaskShape, task: TaskView): string {
  let text = '';
  for (let index = 0; index < properties.length; index++)
    text += (keys[index] ?? '') + jsonOf(properties[index]?.serialize(task) ?? null);
  // Steps may name keys that the definition no longer has.
  return text === '' ? '{}' : text + '}';
}

/** Whether a task's JSON is so long that it is to be written in pieces. */
export function isLarge({ fieldValues }: TaskView): boolean {
  let length = 0;
  // Of files and options there are not enough to matter.
  for (const value of Object.values(fieldValues)) if (typeof value === 'string') length += value.length;
  return length > LARGE_LENGTH;
}

const LARGE_LENGTH = 2 ** 20;

/** The same text in pieces of some size: others have the event loop between the values of a large task. */
export async function* serializeLarge(
  { keys, properties }: TaskShape,
  task: TaskView,
  pause: Pause,
): AsyncGenerator<string> {
  let text = '';
  for (const [index, property] of properties.entries()) {
    text += (keys[index] ?? '') + jsonOf(property.serialize(task));
    if (text.length < TEXT_LENGTH) continue;
    yield text;
    text = '';
    await pause();
  }
  yield properties.length === 0 ? '{}' : text + '}';
}

/** The same as one text. */
export async function serializeInTurns(shape: TaskShape, task: TaskView, pause: Pause): Promise<string> {
  if (!isLarge(task)) return serializeTask(shape, task);
  const pieces: string[] = [];
  for await (const piece of serializeLarge(shape, task, pause)) pieces.push(piece);
  return pieces.join('');
}

/** The JSON of one value. */
export function jsonOf(output: Output | JsonText): string {
  if (output === null) return 'null';
  if (typeof output === 'string') return textAsJson(output);
  return output instanceof JsonText ? output.text : JSON.stringify(output);
}
