import { type DataSource, type EntityManager } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { checkDefinition } from './check-definition.js';
import { type WorkspaceDefinition } from './definition.js';
import { type Change } from './change.js';
import { diffDefinitions } from './diff-definitions.js';
import { mergeDefinitions } from './merge-definitions.js';
import { moveTasks, refuseDataLoss } from './move-tasks.js';
import { type SourceDefinition } from './read-definition.js';
import { storeDefinition } from './store-definition.js';
import { storedDefinition } from './stored-definition.js';
import { loadWorkspaceRows, type WorkspaceRows } from './workspace-rows.js';

/** Applies a definition in one transaction: all of it, or nothing and every reason why. */
export async function applyDefinition(dataSource: DataSource, source: SourceDefinition): Promise<Change[]> {
  return dataSource.transaction((db) => applyWithin(db, source));
}

/** The same within a transaction of the caller's, such as a migration's. */
export async function applyWithin(db: EntityManager, source: SourceDefinition): Promise<Change[]> {
  // What cannot be a workspace's id is in no database.
  if (!/^[a-z0-9-]+$/.test(source.definition.workspace.id)) checkDefinition(source.definition, source);
  // Writes may keep the locks that this needs for as long as a slow statement takes, and many tasks may have to move.
  await db.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const rows = await lockWorkspace(db, source.definition);
  const stored = rows.workspace.version === 0 ? undefined : storedDefinition(rows);
  const merged = mergeDefinitions(stored, source.definition);
  checkDefinition(merged, source);
  const changes = diffDefinitions(stored, merged);
  if (changes.length > 0) await change(db, rows, stored, merged);
  return changes;
}

/** The rows of the workspace, which nobody else can apply to meanwhile; one that is new is made at version 0. */
async function lockWorkspace(db: EntityManager, { workspace }: WorkspaceDefinition): Promise<WorkspaceRows> {
  await db.query('INSERT INTO workspaces (slug, name) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING', [
    workspace.id,
    workspace.name ?? workspace.id,
  ]);
  const { id } = await db.findOneOrFail(WorkspaceEntity, {
    where: { slug: workspace.id },
    lock: { mode: 'for_no_key_update' },
  });
  const rows = await loadWorkspaceRows(db, id);
  if (!rows) throw new Error('a locked workspace is gone');
  return rows;
}

async function change(
  db: EntityManager,
  rows: WorkspaceRows,
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
): Promise<void> {
  const { id } = rows.workspace;
  for (const workflowId of affectedWorkflows(rows, stored, merged)) {
    await db.query('SELECT pg_advisory_xact_lock($1, $2)', [id, workflowId]);
  }
  await refuseDataLoss(db, rows, merged);
  await storeDefinition(db, rows, stored, merged);
  await moveTasks(db, rows, merged);
  await db.increment(WorkspaceEntity, { id }, 'version', 1);
  await announceChange(db, { workspaceId: id });
}

/** The workflows whose tasks must not be written meanwhile, in the order in which everybody locks them. */
function affectedWorkflows(
  rows: WorkspaceRows,
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
): number[] {
  const text = (definition: WorkspaceDefinition | undefined, id: string): string =>
    JSON.stringify(definition?.workflows.find((workflow) => workflow.id === id));
  const isShared =
    JSON.stringify([stored?.users, stored?.relationships]) !==
    JSON.stringify([merged.users, merged.relationships]);
  return rows.workflows
    .filter(({ slug }) => isShared || text(stored, slug) !== text(merged, slug))
    .map(({ id }) => id)
    .sort((one, other) => one - other);
}
