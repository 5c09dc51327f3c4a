import { type EntityManager, type QueryRunner } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { applyWithin } from './apply-definition.js';
import { checkDefinition } from './check-definition.js';
import { DefinitionRefused } from './definition-refused.js';
import { readDefinition } from './read-definition.js';
import { storedDefinition } from './stored-definition.js';
import { loadWorkspaceRows } from './workspace-rows.js';

/** For a migration's `up`: applies a definition, written as YAML, within the migration's transaction. */
export async function seedDefinition({ manager }: QueryRunner, yaml: string): Promise<void> {
  await applyWithin(manager, readDefinition(yaml, 'migration'));
}

/**
 * For a migration's `down`: removes the workflows that the document names, and the workspace with its users and keys
 * when no workflow is left in it. Throws, and removes nothing, when a task would be lost or when what stays refers to
 * what goes.
 */
export async function unseedDefinition({ manager }: QueryRunner, yaml: string): Promise<void> {
  const source = readDefinition(yaml, 'migration');
  const workspaceId = await lockWorkspace(manager, source.definition.workspace.id);
  if (workspaceId === undefined) return;
  const slugs = source.definition.workflows.map(({ id }) => id);
  const ids = await lockWorkflows(manager, workspaceId, slugs);
  await refuseTaskLoss(manager, workspaceId, ids);
  await manager.query(deleteRelationships, [workspaceId, ids]);
  for (const table of ofWorkflows) await manager.query(deleteFrom(table, 'workflow_id'), [workspaceId, ids]);
  await manager.query(deleteFrom('workflows', 'id'), [workspaceId, ids]);
  await refuseLooseEnds(manager, workspaceId);
  await manager.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
  await manager.query(deleteEmptyWorkspace, [workspaceId]);
  await announceChange(manager, { workspaceId });
}

const ofWorkflows = ['members', 'roles', 'actions', 'checklist_template_items', 'fields', 'stages', 'unique_id_counters']; // prettier-ignore

function deleteFrom(table: string, column: string): string {
  return `DELETE FROM ${table} WHERE workspace_id = $1 AND ${column} = ANY($2)`;
}

const deleteRelationships = `
  DELETE FROM relationships
  WHERE workspace_id = $1 AND (from_workflow_id = ANY($2) OR to_workflow_id = ANY($2))`;

const deleteEmptyWorkspace = `
  WITH empty AS (
    SELECT id FROM workspaces w WHERE id = $1 AND NOT EXISTS (SELECT FROM workflows WHERE workspace_id = w.id)
  ), keys AS (
    DELETE FROM api_keys WHERE workspace_id IN (SELECT id FROM empty)
  ), people AS (
    DELETE FROM users WHERE workspace_id IN (SELECT id FROM empty)
  )
  DELETE FROM workspaces WHERE id IN (SELECT id FROM empty)`;

/** In the order in which `applyDefinition` locks: the workspace before its workflows. */
async function lockWorkspace(db: EntityManager, slug: string): Promise<number | undefined> {
  const lock = { mode: 'for_no_key_update' } as const;
  return (await db.findOne(WorkspaceEntity, { where: { slug }, lock }))?.id;
}

async function lockWorkflows(db: EntityManager, workspaceId: number, slugs: string[]): Promise<number[]> {
  const rows = await db.query<{ id: number }[]>(
    'SELECT id FROM workflows WHERE workspace_id = $1 AND slug = ANY($2) ORDER BY id',
    [workspaceId, slugs],
  );
  for (const { id } of rows) await db.query('SELECT pg_advisory_xact_lock($1, $2)', [workspaceId, id]);
  return rows.map(({ id }) => id);
}

async function refuseLooseEnds(db: EntityManager, workspaceId: number): Promise<void> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  const definition = rows && storedDefinition(rows);
  if (definition) checkDefinition(definition, { file: 'migration', definition, faults: [] });
}

async function refuseTaskLoss(db: EntityManager, workspaceId: number, workflowIds: number[]): Promise<void> {
  const rows = await db.query<{ slug: string; count: string }[]>(
    `SELECT w.slug, count(*) FROM tasks t JOIN workflows w ON w.workspace_id = t.workspace_id AND w.id = t.workflow_id
     WHERE t.workspace_id = $1 AND t.workflow_id = ANY($2) GROUP BY w.slug`,
    [workspaceId, workflowIds],
  );
  if (rows.length > 0)
    throw new DefinitionRefused(
      rows.map(({ slug, count }) => `workflow ${slug} cannot go: it holds ${count} tasks`),
    );
}
