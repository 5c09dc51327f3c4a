import { text as allOf } from 'node:stream/consumers';
import { type EntityManager } from 'typeorm';
import { entityTag } from './entity-tag.js';
import { type TaskAnswer } from '../common/http/replies.js';
import { type Written } from './store/upsert-task.js';
import { type Scope } from '../workflows/model/scope.js';
import { textsOf } from '../common/http/paged-list.js';
import { linkedPages, linkedState } from './store/linked-tasks.js';
import { type ListedTask } from './store/task-row.js';
import { type LinkedKey } from '../workflows/fields/property.js';
import { jsonOfTask, serializeTask, type TaskShape } from '../workflows/fields/serialize-task.js';

export async function answerOf(
  db: EntityManager,
  scope: Scope,
  { task, isCreated }: Pick<Written, 'task' | 'isCreated'>,
): Promise<TaskAnswer> {
  const state = isLong(task) ? await linkedState(db, scope, task.id) : undefined;
  const tag = entityTag(scope.workflow, task, state);
  const { publicId, uniqueValue: uniqueId } = task;
  return { json: jsonOf(db, scope, scope.workflow.schema, task), tag, isCreated, publicId, uniqueId };
}

export interface WholeAnswer extends TaskAnswer {
  readonly json: string;
}

export async function joinJson(answer: TaskAnswer): Promise<WholeAnswer> {
  const { json } = answer;
  return { ...answer, json: typeof json === 'string' ? json : await allOf(json) };
}

/** Whether a query left out the linked tasks of a task, because they were too many or too large. */
export function isLong(task: Pick<ListedTask, 'linked'> | undefined): boolean {
  return task?.linked === null;
}

/** Returns the JSON of a task, in pieces if its linked tasks have not been loaded (see `isLong`). */
export function jsonOf(
  db: EntityManager,
  scope: Scope,
  shape: TaskShape,
  task: ListedTask,
): string | AsyncGenerator<string> {
  return isLong(task) ? longTaskText(db, scope, shape, task) : serializeTask(shape, task);
}

/** Yields the JSON of a long task in pieces; reads its linked tasks while the pieces are being sent. */
async function* longTaskText(
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
