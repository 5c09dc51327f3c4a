import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Precondition } from './precondition.js';
import { versionOf } from './task-row.js';

/**
 * Deletes the task of this Unique ID for good, in one statement; false, and nothing is deleted, where there is none in
 * one of the versions, where it has links, or where others write it at that moment.
 */
export async function deleteUnlinkedTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  { versions }: Precondition,
): Promise<boolean> {
  const { workspaceId, id, version } = workflow;
  return (await sql(db, deleteUnlinked, [workspaceId, id, version, uniqueId, versions])).length > 0;
}

/** Deletes a task that is locked and has no links any more. */
export async function deleteLockedTask(tx: EntityManager, workflow: Workflow, taskId: string): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, deleteLocked, [workspaceId, id, version, taskId]);
}

const releasing = `
  released AS (
    UPDATE blobs b SET workflow_id = NULL, task_id = NULL, unnamed_at = now() FROM gone
    WHERE b.workspace_id = $1 AND b.workflow_id = $2 AND b.task_id = gone.id
  )
  SELECT id FROM gone`;

// Who begins a link changes the version, so a link that this statement's snapshot does not show makes it miss the task.
const deleteUnlinked = {
  name: 'delete-unlinked-task',
  text: `
    WITH gone AS (
      DELETE FROM tasks t USING tasks seen
      WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $4
        AND ($5::bigint[] IS NULL OR ${versionOf} = ANY($5))
        AND seen.workspace_id = $1 AND seen.workflow_id = $2 AND seen.id = t.id AND seen.version = t.version
        AND NOT EXISTS (SELECT FROM links l WHERE l.workspace_id = $1 AND l.from_id = seen.id)
        AND NOT EXISTS (SELECT FROM links l WHERE l.workspace_id = $1 AND l.to_id = seen.id)
        AND assert_definition($1, $2, $3)
      RETURNING t.id
    ), ${releasing}`,
};

const deleteLocked = {
  name: 'delete-locked-task',
  text: `
    WITH gone AS (
      DELETE FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $4
        AND assert_definition($1, $2, $3)
      RETURNING t.id
    ), ${releasing}`,
};
