import { type EntityManager } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { isTransactionConflict } from '../errors/database-error.js';
import { type Counts, eraseTasks, type LockedWorkspace, type OnProgress } from './erase-tasks.js';
import { workspaceNamed } from './workspace-named.js';
import { aboutWorkflows, eraseRows } from './workspace-tables.js';

/** Deletes all tasks of a workspace and what is about them, in one transaction; says how many rows of what. */
export async function resetWorkspace(
  db: EntityManager,
  slug: string,
  onProgress: OnProgress,
): Promise<Counts> {
  return untilAlone(db, async (tx) =>
    eraseTasks(tx, await lockWorkspace(tx, slug, 'for_no_key_update'), onProgress),
  );
}

/** Deletes a workspace with all that it holds and its keys, in one transaction; says how many rows of what. */
export async function deleteWorkspace(
  db: EntityManager,
  slug: string,
  onProgress: OnProgress,
): Promise<Counts> {
  return untilAlone(db, async (tx) => {
    const workspace = await lockWorkspace(tx, slug, 'pessimistic_write');
    const counts = new Map(await eraseTasks(tx, workspace, onProgress));
    for (const table of aboutWorkflows) counts.set(table, await eraseRows(tx, table, workspace.id));
    await tx.query('DELETE FROM workspaces WHERE id = $1', [workspace.id]);
    await announceChange(tx, { workspaceId: workspace.id });
    await announceChange(tx, { keys: true });
    return counts;
  });
}

/** Does the work again when the database gave it up in favour of a writer. */
async function untilAlone<T>(db: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (attempt === 10 || !isTransactionConflict(error)) throw error;
    }
  }
}

/** Keeps everybody from writing to the workspace, in the order in which writers and `apply` take their locks. */
async function lockWorkspace(
  tx: EntityManager,
  slug: string,
  mode: 'for_no_key_update' | 'pessimistic_write',
): Promise<LockedWorkspace> {
  await tx.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const { id } = await workspaceNamed(tx, slug, mode);
  // A request under an expired key holds the key's row while it waits for its workflow.
  await tx.query(expired, [id]);
  const workflows = await tx.query<{ id: number }[]>(workflowsOf, [id]);
  const workflowIds = workflows.map((workflow) => workflow.id);
  for (const workflowId of workflowIds)
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [id, workflowId]);
  return { id, workflowIds };
}

const workflowsOf = 'SELECT id FROM workflows WHERE workspace_id = $1 ORDER BY id';

const expired = `
  DELETE FROM idempotency_keys WHERE workspace_id = $1 AND created_at < now() - interval '24 hours'`;
