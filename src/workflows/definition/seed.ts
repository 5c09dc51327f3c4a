import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { DefinitionMigrationEntity } from '../../common/database/definition-migration.entity.js';
import { type DefinitionVersionEntity } from '../model/entities/definition-version.entity.js';
import { WorkspaceEntity } from '../model/entities/workspace.entity.js';
import { applyWithin } from './apply-definition.js';
import { rollbackDefinition } from './merge/rollback.js';
import { readDefinition, readStored, type SourceDefinition } from './source/read-definition.js';
import { findHistory } from './store/history.js';

/** For a migration's `up`: applies a definition in YAML within the migration's transaction. */
export async function seedDefinition(
  { manager }: QueryRunner,
  migration: string,
  yaml: string,
): Promise<void> {
  const source = readDefinition(yaml, migration);
  await applyWithin(manager, source, { author: migration });
  const { id } = await manager.findOneByOrFail(WorkspaceEntity, { slug: source.definition.workspace.id });
  await manager.save(DefinitionMigrationEntity, { workspaceId: id, migration });
}

/**
 * For a migration's `down`: restores the definition from before `up`, like a rollback. Throws, and changes
 * nothing, if the definition has been changed after `up`, or if tasks would lose data.
 */
export async function unseedDefinition({ manager }: QueryRunner, migration: string): Promise<void> {
  const kept = await manager.findOneBy(DefinitionMigrationEntity, { migration });
  if (!kept) throw new Error(`${migration} cannot be undone: it has not run on this database`);
  const workspace = await manager.findOneByOrFail(WorkspaceEntity, { id: kept.workspaceId });
  const former = await formerDefinition(manager, workspace, migration);
  if (former) await applyWithin(manager, former, { author: `undo of ${migration}`, isPruning: true });
  await manager.delete(DefinitionMigrationEntity, kept);
}

/** The definition before the migration; undefined if the migration changed nothing. */
async function formerDefinition(
  db: EntityManager,
  { slug, name }: WorkspaceEntity,
  migration: string,
): Promise<SourceDefinition | undefined> {
  const versions = (await findHistory(db, slug)) ?? [];
  const made = versions.find(({ appliedBy }) => appliedBy === migration);
  if (!made) return undefined;
  const former = versions.find(({ version }) => version < made.version);
  assertUnchanged(made, versions[0], slug, former?.version);
  const document = former?.definition ?? { workspace: { id: slug, name } };
  const source = readStored(document, `the definition before ${migration}`);
  return { ...source, definition: rollbackDefinition(source.definition, [made.changes]) };
}

function assertUnchanged(
  made: DefinitionVersionEntity,
  newest: DefinitionVersionEntity | undefined,
  slug: string,
  former: number | undefined,
): void {
  if (isDeepStrictEqual(newest?.definition, made.definition)) return;
  const way =
    former === undefined
      ? ''
      : ` To discard the later changes too: POST /api/v1/definition/rollback?to=${former}`;
  throw new Error(`The definition of ${slug} has been changed since this migration.${way}`);
}
