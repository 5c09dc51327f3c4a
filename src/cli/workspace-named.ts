import { type EntityManager } from 'typeorm';
import { WorkspaceEntity } from '../entities/workspace.entity.js';

/** The workspace of this id, which nobody can delete, or where asked alter, before the transaction ends. */
export async function workspaceNamed(
  tx: EntityManager,
  slug: string,
  mode: 'for_key_share' | 'for_no_key_update' | 'pessimistic_write' = 'for_key_share',
): Promise<WorkspaceEntity> {
  const workspace = await tx.findOne(WorkspaceEntity, { where: { slug }, lock: { mode } });
  if (!workspace) throw new Error(`There is no workspace "${slug}". See: wts workspace list`);
  return workspace;
}
