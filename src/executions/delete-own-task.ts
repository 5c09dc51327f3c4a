import { type EntityManager } from 'typeorm';
import { readHeld } from '../links/read-held.js';
import { replaceLinks } from '../links/replace-links.js';
import { deleteLockedTask } from '../records/delete-task.js';
import { type Workflow } from '../workflows/workspace.js';

/** Deletes a task that is locked with all tasks linked to it. */
export async function deleteOwnTask(tx: EntityManager, workflow: Workflow, taskId: string): Promise<void> {
  for (const link of workflow.schema.links.values()) {
    const held = await readHeld(tx, workflow, taskId, link);
    const removed = held.map((other) => ({ link, other }));
    await replaceLinks(tx, workflow, taskId, { added: [], removed, displaced: [] });
  }
  await deleteLockedTask(tx, workflow, taskId);
}
