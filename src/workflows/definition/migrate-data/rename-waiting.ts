import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type WorkspaceRows } from '../../model/workspace-rows.js';
import { findRenames, renamesOf } from '../merge/renames.js';

/** Lets what waits for a renamed action wait for it under its new id. */
export async function renameWaiting(
  db: EntityManager,
  { workspace, workflows }: WorkspaceRows,
  stored: WorkspaceDefinition,
  merged: WorkspaceDefinition,
): Promise<void> {
  const renames = findRenames(stored, merged).workflows;
  for (const { id, slug } of workflows)
    // An id that another action leaves is taken after that.
    for (const [was, now] of renamesOf(renames.get(slug), 'action')) {
      for (const text of emptied) await sql(db, { text }, [workspace.id, id, now]);
      for (const text of moved) await sql(db, { text }, [workspace.id, id, now, was]);
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
