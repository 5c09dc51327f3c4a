import { type EntityManager } from 'typeorm';
import { requireMet } from './entity-tag.js';
import { preconditionFailed, type Refusal } from '../common/errors.js';
import { FieldErrors } from '../common/field-errors.js';
import { type Message, say, sentence } from '../common/message.js';
import { withTasksLocked } from './links/lock-links.js';
import { MAX_NAMED } from './links/plan-links.js';
import { endLinks } from './links/replace-links.js';
import { type Condition } from '../workflows/fields/condition.js';
import { keptIn } from '../workflows/fields/protection.js';
import { findTaskId } from './store/task-keys.js';
import { deleteLockedTasks, deleteUnlinkedTask } from './store/task.repository.js';
import { type BareTask, noPrecondition, type Precondition } from './store/task-row.js';
import { countTasks, idsOfTasks } from './store/whole-list.repository.js';
import { requireDeletes } from '../workflows/model/allowed.js';
import { type Scope } from '../workflows/model/scope.js';
import { type TaskName } from '../workflows/model/task-name.js';

// Every deletion of tasks goes through this file.

/** Deletes the task of this name permanently, by one statement if it has no links; false if it does not exist. */
export async function deleteNamedTask(
  db: EntityManager,
  scope: Scope,
  name: TaskName,
  precondition: Precondition,
): Promise<boolean> {
  if (scope.viewer?.narrowing) requireDeletes(scope);
  const isPlain = !scope.bound && typeof name === 'string';
  if (isPlain && (await deleteUnlinkedTask(db, scope, name, precondition))) return true;
  const find = async (tx: EntityManager): Promise<string[]> => {
    const id = await findTaskId(tx, scope, name);
    return id === undefined ? [] : [id];
  };
  return (await deleteFound(db, scope, find, precondition)) > 0;
}

/**
 * Counts and deletes all tasks that meet the conditions, in one transaction. Throws (412), and deletes none, if their
 * number is not as expected or one of them may not be deleted.
 */
export async function deleteMatching(
  db: EntityManager,
  scope: Scope,
  conditions: readonly Condition[],
  expected: number,
): Promise<number> {
  requireDeletes(scope);
  return deleteFound(db, scope, async (tx) => {
    const ids = await idsOfTasks(tx, scope.workflow, conditions, expected + 1);
    if (ids.length < expected) throw otherNumber(ids.length, expected);
    if (ids.length > expected) throw otherNumber(await countTasks(tx, scope.workflow, conditions), expected);
    return ids;
  });
}

/** The refusal (412) if a filter finds more or fewer tasks than expected. */
export const otherNumber = (found: number, expected: number): Refusal =>
  preconditionFailed(say`The filter finds ${found} tasks to delete, not ${expected}: no task was deleted.`, {
    found,
  });

async function deleteFound(
  db: EntityManager,
  scope: Scope,
  find: (tx: EntityManager) => Promise<readonly string[]>,
  precondition?: Precondition,
): Promise<number> {
  return withTasksLocked(db, scope, find, async (tx, { tasks, links, refusals }) => {
    for (const task of tasks) requireDeletes(scope, task);
    const errors = new FieldErrors();
    const kept = tasks.flatMap((task) => keptBy(scope, task, precondition !== undefined)).slice(0, MAX_NAMED);
    for (const refusal of [...kept, ...refusals]) errors.add('base', refusal);
    errors.throwIfAny();
    for (const task of tasks) requireMet(task, precondition ?? noPrecondition);
    await endLinks(tx, scope.workflow, links);
    if (tasks.length > 0) await deleteLockedTasks(tx, scope.workflow, tasks.map(({ id }) => id)); // prettier-ignore
    return tasks.length;
  });
}

/** Why a task may not be deleted. The message names the task unless the request did. */
function keptBy({ workflow }: Scope, task: BareTask, isNamed: boolean): Message[] {
  const lock = workflow.schema.locks.own.get(task.stageId);
  if (!lock) return [];
  return [isNamed ? keptIn(lock) : say`${task.uniqueValue ?? task.publicId}: ${sentence(keptIn(lock))}`];
}
