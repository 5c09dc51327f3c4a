import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';

/** Deletes the task of this Unique ID for good; false when there is none. */
export async function deleteTask(db: EntityManager, workflow: Workflow, uniqueId: string): Promise<boolean> {
  const { workspaceId, id, version } = workflow;
  return (await sql(db, deleteRow, [workspaceId, id, version, uniqueId])).length > 0;
}

const deleteRow = {
  name: 'delete-task',
  text: `
    DELETE FROM tasks
    WHERE workspace_id = $1 AND workflow_id = $2 AND unique_value = $4 AND assert_definition($1, $2, $3)
    RETURNING id`,
};
