import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';

/** Adds a workspace of version 0; undefined where there is one of this id already. */
export async function addWorkspace(
  db: EntityManager,
  { slug, name }: Pick<WorkspaceEntity, 'slug' | 'name'>,
): Promise<Pick<WorkspaceEntity, 'id'> | undefined> {
  const [added] = await db.query<Pick<WorkspaceEntity, 'id'>[]>(add, [slug, name]);
  return added;
}

const add = 'INSERT INTO workspaces (slug, name) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING RETURNING id';

/** The workspace, to which nobody else can apply a definition until the transaction ends. */
export async function lockWorkspace(
  tx: EntityManager,
  where: Pick<WorkspaceEntity, 'slug'> | Pick<WorkspaceEntity, 'id'>,
): Promise<WorkspaceEntity> {
  return tx.findOneOrFail(WorkspaceEntity, { where, lock: { mode: 'for_no_key_update' } });
}

/**
 * Keeps away whoever writes tasks of these workflows, until the transaction ends. To be called with the workspace
 * locked; the order is the one in which everybody locks workflows.
 */
export async function lockWorkflows(
  tx: EntityManager,
  workspaceId: number,
  ids: readonly number[],
): Promise<void> {
  for (const id of [...ids].sort((one, other) => one - other)) await sql(tx, lockWorkflow, [workspaceId, id]);
}

const lockWorkflow = { text: 'SELECT pg_advisory_xact_lock($1, $2)' };
