import { type EntityManager } from 'typeorm';
import { requireMet } from './entity-tag.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { english } from '../common/message.js';
import { withLinksLocked } from './links/lock-links.js';
import { referenceTo } from './links/find-links.js';
import { replaceLinks } from './links/replace-links.js';
import { keptIn } from '../workflows/fields/protection.js';
import { deleteLockedTask, deleteUnlinkedTask } from './store/task.repository.js';
import { type Precondition } from './store/task-row.js';
import { requireDeletes } from '../workflows/model/allowed.js';
import { type Scope } from '../workflows/model/scope.js';
import { type TaskName } from '../workflows/model/task-name.js';

/** Deletes a task permanently. Returns false for an unknown Unique ID; throws 404 for an unknown public id. */
export async function deleteNamedTask(
  db: EntityManager,
  scope: Scope,
  name: TaskName,
  precondition: Precondition,
): Promise<boolean> {
  if (scope.viewer?.narrowing) requireDeletes(scope);
  const isPlain = !scope.bound && typeof name === 'string';
  if (isPlain && (await deleteUnlinkedTask(db, scope, name, precondition))) return true;
  const { links, locks } = scope.workflow.schema;
  const ended = [...links.values()].map((link) => ({ link, as: 'ended' as const, references: [], locks }));
  const reference = await referenceTo(db, scope, name);
  return withLinksLocked(db, scope, reference, ended, async (tx, { task, plan, errors }) => {
    if (!task) return false;
    requireDeletes(scope, task);
    const lock = locks.own.get(task.stageId);
    if (lock) throw invalidField('base', keptIn(lock));
    const refusals = errors.fields.flatMap(([, messages]) => messages);
    const kept = new FieldErrors();
    // Several relationships can link the same task, so the same refusal can occur more than once.
    for (const refusal of new Map(refusals.map((one) => [english(one), one])).values())
      kept.add('base', refusal);
    kept.throwIfAny();
    requireMet(task, precondition);
    await replaceLinks(tx, scope.workflow, task.id, plan);
    await deleteLockedTask(tx, scope.workflow, task.id);
    return true;
  });
}
