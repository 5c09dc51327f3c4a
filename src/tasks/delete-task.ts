import { type EntityManager } from 'typeorm';
import { requireMet } from '../answers/current-tag.js';
import { notFound, preconditionFailed } from '../errors/errors.js';
import { type LinkChange } from '../links/link-change.js';
import { withLinksLocked } from '../links/lock-links.js';
import { replaceLinks } from '../links/replace-links.js';
import { deleteLockedTask, deleteUnlinkedTask } from '../records/delete-task.js';
import { type Precondition } from '../records/precondition.js';
import { type Workflow } from '../workflows/workspace.js';

/** Deletes a task for good, with its links and attachments: by one statement where it has no links. */
export async function deleteTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  precondition: Precondition,
): Promise<void> {
  const isPlain = precondition.excluded.length === 0;
  if (isPlain && (await deleteUnlinkedTask(db, workflow, uniqueId, precondition))) return;
  const unlinked = [...workflow.schema.links.values()].map((link): LinkChange => ({
    link,
    as: 'complete-set',
    references: [],
  }));
  await withLinksLocked(db, workflow, { uniqueId }, unlinked, async (tx, { task, plan }) => {
    if (!task) throw precondition.mustExist ? preconditionFailed() : notFound();
    await requireMet(tx, workflow, task, precondition);
    await replaceLinks(tx, workflow, task.id, plan);
    await deleteLockedTask(tx, workflow, task.id);
  });
}
