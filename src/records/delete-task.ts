import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Precondition } from './precondition.js';

/** Deletes the task of this Unique ID for good; false when there is none, or none in one of the versions. */
export async function deleteTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  { versions }: Precondition,
): Promise<boolean> {
  const { workspaceId, id, version } = workflow;
  return (await sql(db, deleteRow, [workspaceId, id, version, uniqueId, versions])).length > 0;
}

const deleteRow = {
  name: 'delete-task',
  text: `
    DELETE FROM tasks
    WHERE workspace_id = $1 AND workflow_id = $2 AND unique_value = $4
      AND ($5::integer[] IS NULL OR version = ANY($5)) AND assert_definition($1, $2, $3)
    RETURNING id`,
};
