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
    let left = actions.filter(({ was }) => was !== undefined);
    while (left.length > 0) {
      // An id that another action leaves is taken after that.
      const action = left.find(({ id }) => left.every(({ was }) => was !== id));
      if (!action) throw new Error('actions took the ids of each other');
      for (const text of emptied) await sql(db, { text }, [workspace.id, workflowId, action.id]);
      for (const text of moved) await sql(db, { text }, [workspace.id, workflowId, action.id, action.was]);
      left = left.filter((each) => each !== action);
    }
  }
}

const ofAction = (id: string): string => `workspace_id = $1 AND workflow_id = $2 AND action_id = ${id}`;

// What an action left that had the id before.
const emptied = [
  `UPDATE approvals SET state = 'replaced' WHERE ${ofAction('$3')} AND state = 'live'`,
  `DELETE FROM approval_rounds WHERE ${ofAction('$3')}`,
];

const moved = [
  `UPDATE executions SET action_id = $3 WHERE ${ofAction('$4')} AND status = 'Pending'`,
  ...['timers', 'approvals', 'approval_rounds'].map(
    (table) => `UPDATE ${table} SET action_id = $3 WHERE ${ofAction('$4')}`,
  ),
];
