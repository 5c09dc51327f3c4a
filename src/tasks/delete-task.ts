import { type EntityManager } from 'typeorm';
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
  if (await deleteUnlinkedTask(db, workflow, uniqueId, precondition)) return;
  const unlinked = [...workflow.schema.links.values()].map((link): LinkChange => ({
    link,
    as: 'complete-set',
    references: [],
  }));
  await withLinksLocked(db, workflow, uniqueId, unlinked, async (tx, { task, plan }) => {
    const { mustExist, versions } = precondition;
    if (!task) throw mustExist ? preconditionFailed() : notFound();
    if (versions && !versions.includes(task.version)) throw preconditionFailed();
    await replaceLinks(tx, workflow, task.id, plan);
    await deleteLockedTask(tx, workflow, task.id);
  });
}
