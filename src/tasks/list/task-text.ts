import { type EntityManager } from 'typeorm';
import { textsOf } from '../../common/http/paged-list.js';
import { linkedPages } from '../store/linked-tasks.js';
import { type ListedTask } from '../store/task-row.js';
import { type LinkedKey } from '../../workflows/fields/property.js';
import { jsonOfTask, serializeTask, type TaskShape } from '../../workflows/fields/serialize-task.js';
import { type Scope } from '../../workflows/model/scope.js';

/** Whether a task has too many linked tasks for memory. */
export function isLong(task: Pick<ListedTask, 'linked'> | undefined): boolean {
  return task?.linked === null;
}

/** A task's JSON: one text, unless it is long. */
export function textOf(
  db: EntityManager,
  scope: Scope,
  shape: TaskShape,
  task: ListedTask,
): string | AsyncGenerator<string> {
  return isLong(task) ? longTaskText(db, scope, shape, task) : serializeTask(shape, task);
}

/** The JSON of a long task in pieces: its linked tasks are read on demand. */
export async function* longTaskText(
  db: EntityManager,
  scope: Scope,
  { keys, properties }: TaskShape,
  task: ListedTask,
): AsyncGenerator<string> {
  for (const [index, property] of properties.entries()) {
    yield keys[index] ?? '';
    if (property.links) yield* linkedTexts(db, scope, task.id, property.links);
    else yield jsonOfTask(property.serialize(task));
  }
  yield properties.length === 0 ? '{}' : '}';
}

/** The JSON of a relationship's key in such pieces. */
export async function* linkedTexts(
  db: EntityManager,
  scope: Scope,
  id: string,
  { side, isMultiple, write }: LinkedKey,
): AsyncGenerator<string> {
  if (isMultiple) yield '[';
  let isEmpty = true;
  for await (const text of textsOf(scope, linkedPages(db, scope, id, side), write)) {
    yield text;
    isEmpty = false;
  }
  if (isMultiple) yield ']';
  else if (isEmpty) yield 'null';
}
