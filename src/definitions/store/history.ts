import { type EntityManager } from 'typeorm';
import { DefinitionVersionEntity } from '../../entities/definition-version.entity.js';
import { WorkspaceEntity } from '../../entities/workspace.entity.js';
import { type Change } from '../merge/diff.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';

/** A definition that has just come into force. */
export interface NewVersion {
  readonly workspaceId: number;
  readonly version: number;
  readonly author: string;
  readonly changes: readonly Change[];
  readonly definition: WorkspaceDefinition;
}

/** Writes down a definition that has come into force. */
export async function recordVersion(db: EntityManager, made: NewVersion): Promise<void> {
  const { workspaceId, version, author, changes, definition } = made;
  await db.insert(DefinitionVersionEntity, {
    workspaceId,
    version,
    appliedBy: author,
    changes: [...changes],
    definition,
  });
}

/** Every recorded version of a workspace's definition, newest first; undefined where there is no such workspace. */
export async function findHistory(
  db: EntityManager,
  slug: string,
): Promise<DefinitionVersionEntity[] | undefined> {
  const workspace = await db.findOneBy(WorkspaceEntity, { slug });
  if (!workspace) return undefined;
  const where = { workspaceId: workspace.id };
  return db.find(DefinitionVersionEntity, { where, order: { version: 'DESC' } });
}
