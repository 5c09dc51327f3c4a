import { type EntityManager, type QueryRunner } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { applyWithin } from './apply-definition.js';
import { DefinitionRefused } from './definition-refused.js';
import { readDefinition } from './read-definition.js';

/** For a migration's `up`: applies a definition, written as YAML, within the migration's transaction. */
export async function seedDefinition({ manager }: QueryRunner, yaml: string): Promise<void> {
  await applyWithin(manager, readDefinition(yaml, 'migration'));
}

/**
 * For a migration's `down`: removes the workflows that its `up` added, and the workspace with its users and keys when
 * no workflow is left in it. Throws, and removes nothing, when a task would be lost.
 */
export async function unseedDefinition({ manager }: QueryRunner, yaml: string): Promise<void> {
  const { workspace, workflows } = readDefinition(yaml, 'migration').definition;
  const found = await manager.findOneBy(WorkspaceEntity, { slug: workspace.id });
  if (!found) return;
  const ids = await lockWorkflows(manager, found.id, workflows.map(({ id }) => id)); // prettier-ignore
  await refuseTaskLoss(manager, found.id, ids);
  for (const table of ofWorkflows) await manager.query(deleteFrom(table, 'workflow_id'), [found.id, ids]);
  await manager.query(deleteFrom('workflows', 'id'), [found.id, ids]);
  await manager.increment(WorkspaceEntity, { id: found.id }, 'version', 1);
  await manager.query(deleteEmptyWorkspace, [found.id]);
  await announceChange(manager, { workspaceId: found.id });
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

async function lockWorkflows(db: EntityManager, workspaceId: number, slugs: string[]): Promise<number[]> {
  const rows = await db.query<{ id: number }[]>(
    'SELECT id FROM workflows WHERE workspace_id = $1 AND slug = ANY($2) ORDER BY id',
    [workspaceId, slugs],
  );
  for (const { id } of rows) await db.query('SELECT pg_advisory_xact_lock($1, $2)', [workspaceId, id]);
  const ids = rows.map(({ id }) => id);
  await db.query(deleteRelationships, [workspaceId, ids]);
  return ids;
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
