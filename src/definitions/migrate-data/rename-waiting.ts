import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { type WorkspaceRows } from '../../workspace/workspace-rows.js';

/** Lets what waits for a renamed action wait for it under its new id. */
export async function renameWaiting(
  db: EntityManager,
  { workspace, workflows }: WorkspaceRows,
  merged: WorkspaceDefinition,
): Promise<void> {
  for (const { id: workflowId, slug } of workflows) {
    const actions = merged.workflows.find(({ id }) => id === slug)?.actions ?? [];
    const renamed = actions.filter(({ was }) => was !== undefined);
    const names = [renamed.map(({ was }) => was), renamed.map(({ id }) => id)];
    if (renamed.length > 0)
      for (const text of statements) await sql(db, { text }, [workspace.id, workflowId, ...names]);
  }
}

// One statement each, so that two actions can change places.
const statements = ['executions', 'timers', 'approvals', 'approval_rounds'].map(
  (table) => `
    UPDATE ${table} t SET action_id = n.id FROM unnest($3::text[], $4::text[]) n (was, id)
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.action_id = n.was
      ${table === 'executions' ? `AND t.status = 'Pending'` : ''}`,
);
