import { type EntityManager } from 'typeorm';
import { preconditionFailed, type Refusal } from '../lib/errors.js';
import { code } from '../lib/quote.js';
import { linkedState, readLinked } from '../task-store/linked-tasks.js';
import { type BareTask, type Precondition } from '../task-store/task-row.js';
import { type Workflow } from '../workspace/workspace.js';
import { entityTag, isKnown } from './etag.js';

/** The tag of a task that was read with the tasks linked to it. */
export async function currentTag(db: EntityManager, workflow: Workflow, task: BareTask): Promise<string> {
  const isLong = task.linked === null;
  return entityTag(workflow, task, isLong ? await linkedState(db, workflow, task.id) : undefined);
}

/** What is said where there is no task that could be as demanded. */
export const noTaskToMatch = ({ impossible }: Precondition): Refusal =>
  preconditionFailed(impossible ?? 'There is no task that If-Match could match.');

/** Throws (412) unless a task, read or locked by this very manager, is as a request demands. */
export async function requireMet(
  db: EntityManager,
  workflow: Workflow,
  task: BareTask,
  { versions, excluded, mustNotExist, impossible }: Precondition,
): Promise<void> {
  if (mustNotExist) throw preconditionFailed(`There is a task ${code(task.uniqueValue ?? '')} already.`);
  if (versions && !versions.includes(task.version)) throw preconditionFailed(impossible);
  if (excluded === undefined) return;
  const linked = await readLinked(db, workflow, task.id);
  if (isKnown(excluded, await currentTag(db, workflow, { ...task, linked })))
    throw preconditionFailed('The task is the very one that If-None-Match excludes.');
}
