import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';

/** Counts a version of a task that is locked, for a change that is not in its row. */
export async function touchTask(tx: EntityManager, workflow: Workflow, taskId: string): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, touch, [workspaceId, id, version, taskId]);
}

const touch = {
  name: 'touch-task',
  text: `
    UPDATE tasks t SET version = t.version + 1, updated_at = clock_timestamp()
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $4 AND assert_definition($1, $2, $3)`,
};
