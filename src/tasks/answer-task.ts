import { type EntityManager } from 'typeorm';
import { currentTag, entityTag } from './entity-tag.js';
import { type TaskAnswer } from '../common/http/replies.js';
import { type Written } from './store/upsert-task.js';
import { type Scope } from '../workflows/model/scope.js';
import { isLong, textOf } from './list/task-text.js';

export async function answerOf(
  db: EntityManager,
  scope: Scope,
  { task, isCreated }: Pick<Written, 'task' | 'isCreated'>,
): Promise<TaskAnswer> {
  const tag = isLong(task) ? await currentTag(db, scope, task) : entityTag(scope.workflow, task);
  const { publicId, uniqueValue: uniqueId } = task;
  return { json: textOf(db, scope, scope.workflow.schema, task), tag, isCreated, publicId, uniqueId };
}

export interface WholeAnswer extends TaskAnswer {
  readonly json: string;
}

/** An answer that can be stored. */
export async function inOnePiece(answer: TaskAnswer): Promise<WholeAnswer> {
  const pieces: string[] = [];
  const { json } = answer;
  if (typeof json === 'string') return { ...answer, json };
  for await (const piece of json) pieces.push(piece);
  return { ...answer, json: pieces.join('') };
}
