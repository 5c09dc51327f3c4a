import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';

/** Adds a workspace with version 0; returns undefined if a workspace with this slug exists. */
export async function addWorkspace(
  db: EntityManager,
  { slug, name }: Pick<WorkspaceEntity, 'slug' | 'name'>,
): Promise<Pick<WorkspaceEntity, 'id'> | undefined> {
  const [added] = await db.query<Pick<WorkspaceEntity, 'id'>[]>(add, [slug, name]);
  return added;
}

const add = 'INSERT INTO workspaces (slug, name) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING RETURNING id';

/** The slug of the only workspace; undefined if there are several or none. */
export async function findOnlyWorkspace(db: EntityManager): Promise<string | undefined> {
  const found = await db.find(WorkspaceEntity, { select: { slug: true }, take: 2 });
  return found.length === 1 ? found[0]?.slug : undefined;
}

/** Reads and locks the workspace. Until the transaction ends, no other definition can be applied to it. */
export async function lockWorkspace(
  tx: EntityManager,
  where: Pick<WorkspaceEntity, 'slug'> | Pick<WorkspaceEntity, 'id'>,
): Promise<WorkspaceEntity> {
  return tx.findOneOrFail(WorkspaceEntity, { where, lock: { mode: 'for_no_key_update' } });
}

/**
 * Blocks writes of tasks in these workflows until the transaction ends. Locks workflows in the order of their
 * ids, so that two transactions cannot deadlock. The workspace must already be locked.
 */
export async function lockWorkflows(
  tx: EntityManager,
  workspaceId: number,
  ids: Iterable<number>,
): Promise<void> {
  for (const id of [...ids].sort((one, other) => one - other)) await sql(tx, lockWorkflow, [workspaceId, id]);
}

const lockWorkflow = { text: 'SELECT pg_advisory_xact_lock($1, $2)' };
