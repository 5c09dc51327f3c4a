import { type EntityManager, type QueryRunner } from 'typeorm';
import { announceChange } from '../database/notifications.js';
import { DefinitionMigrationEntity } from '../entities/definition-migration.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { addWorkspace, lockWorkflows, lockWorkspace } from '../workspace/workspace.repository.js';
import { applyWithin } from './apply-definition.js';
import { checkDefinition } from './check/check-definition.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { diffDefinitions } from './merge/diff.js';
import { beginIndexes, fillIndexes } from './migrate-data/index-fields.js';
import { recordVersion } from './store/history.js';
import { readDefinition } from './source/read-definition.js';
import { storedDefinition, loadWorkspaceRows } from '../workspace/workspace-rows.js';
import { carryOutUndo, forgetExecutions, refuseLoss } from './seed/carry-out-undo.js';
import { loadDefinitionRows, planUndo } from './seed/undo.js';

/**
 * For a migration's `up`: applies a definition, written as YAML, within the migration's transaction, and keeps what it
 * found under the migration's name, for `down`.
 */
export async function seedDefinition(
  { manager }: QueryRunner,
  migration: string,
  yaml: string,
): Promise<void> {
  const source = readDefinition(yaml, migration);
  const { id: slug, name = slug } = source.definition.workspace;
  // The same lock as applying takes: nobody changes the definition between what is found and what is made of it.
  await addWorkspace(manager, { slug, name });
  const { id: workspaceId, version } = await lockWorkspace(manager, { slug });
  const found = version === 0 ? {} : await loadDefinitionRows(manager, workspaceId);
  await applyWithin(manager, source, { author: migration });
  const leftBehind = await loadDefinitionRows(manager, workspaceId);
  await manager.save(DefinitionMigrationEntity, { workspaceId, migration, found, leftBehind });
}

/**
 * For a migration's `down`: takes back exactly what its `up` did. What came later stays. Throws with every reason, and
 * changes nothing, when tasks would lose something, when the migration's own work was changed since, or when what
 * stays refers to what goes.
 */
export async function unseedDefinition({ manager }: QueryRunner, migration: string): Promise<void> {
  const kept = await manager.findOneBy(DefinitionMigrationEntity, { migration });
  if (!kept) throw new Error(`${migration} cannot be undone: this database does not know what it found`);
  const { workspaceId, found, leftBehind } = kept;
  const now = await lockedRows(manager, workspaceId);
  const rows = await loadWorkspaceRows(manager, workspaceId);
  const before = rows && storedDefinition(rows);
  const plan = planUndo(found, leftBehind, now);
  await forgetExecutions(manager, plan);
  await refuseLoss(manager, plan);
  await carryOutUndo(manager, plan, workspaceId);
  const left = await loadWorkspaceRows(manager, workspaceId);
  await beginIndexes(manager, workspaceId, left ?? { workflows: [], fields: [] }, rows?.fields ?? []);
  await fillIndexes(manager, workspaceId);
  await manager.delete(DefinitionMigrationEntity, { workspaceId, migration });
  await manager.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
  await recordUndone(manager, workspaceId, before, migration);
  await announceChange(manager, { workspaceId });
}

/** What the definition is, locked until the transaction ends. */
async function lockedRows(
  manager: EntityManager,
  workspaceId: number,
): ReturnType<typeof loadDefinitionRows> {
  await manager.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  await lockWorkspace(manager, { id: workspaceId });
  const now = await loadDefinitionRows(manager, workspaceId);
  const ids = (now['workflows'] ?? []).map(({ id }) => Number(id));
  await lockWorkflows(manager, workspaceId, ids);
  return now;
}

/** Keeps the version that is left, where the workspace is; throws where it is not a definition that could be applied. */
async function recordUndone(
  manager: EntityManager,
  workspaceId: number,
  before: WorkspaceDefinition | undefined,
  author: string,
): Promise<void> {
  const definition = await definitionOf(manager, workspaceId);
  if (!definition) return;
  checkDefinition(definition, { file: author, definition, faults: [] });
  const changes = diffDefinitions(before, definition);
  const { version } = await manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
  await recordVersion(manager, { workspaceId, version, author, changes, definition });
}

async function definitionOf(
  db: EntityManager,
  workspaceId: number,
): Promise<WorkspaceDefinition | undefined> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  return rows && storedDefinition(rows);
}
