import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type TaskPlace } from './task-place.js';

/** No task of the workflow names the attachments of this field any longer: the sweep removes them. */
export async function releaseFiles(
  db: EntityManager,
  { workspaceId, workflowId }: TaskPlace,
  fieldId: string,
): Promise<void> {
  await sql(db, releaseOfField, [workspaceId, workflowId, fieldId]);
}

/** No task of the workflow names any attachment any longer. */
export async function releaseAllFiles(
  db: EntityManager,
  { workspaceId, workflowId }: TaskPlace,
): Promise<void> {
  await sql(db, releaseOfWorkflow, [workspaceId, workflowId]);
}

const release = `
  UPDATE blobs SET workflow_id = NULL, task_id = NULL, unnamed_at = now()
  WHERE workspace_id = $1 AND workflow_id = $2`;

const releaseOfWorkflow = { text: release };

const releaseOfField = {
  text: `${release} AND id IN (
    SELECT file ->> 'blobId' FROM tasks t CROSS JOIN LATERAL jsonb_array_elements(t.field_values -> $3) file
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.field_values ? $3
  )`,
};
