import { type EntityManager, type QueryRunner } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { applyWithin } from './apply-definition.js';
import { checkDefinition } from './check-definition.js';
import { DefinitionRefused } from './definition-refused.js';
import { deleteWorkflow } from './data/delete-workflow.js';
import { recordVersion } from './history.js';
import { readDefinition } from './read-definition.js';
import { storedDefinition } from './stored-definition.js';
import { loadWorkspaceRows } from './workspace-rows.js';

/** For a migration's `up`: applies a definition, written as YAML, within the migration's transaction. */
export async function seedDefinition(
  { manager }: QueryRunner,
  yaml: string,
  author = 'a migration',
): Promise<void> {
  await applyWithin(manager, readDefinition(yaml, 'migration'), { author });
}

/**
 * For a migration's `down`: removes the workflows that the document names, and the workspace with its users and keys
 * when no workflow is left in it. Throws, and removes nothing, when a task would be lost or when what stays refers to
 * what goes.
 */
export async function unseedDefinition(
  { manager }: QueryRunner,
  yaml: string,
  author = 'a migration',
): Promise<void> {
  const source = readDefinition(yaml, 'migration');
  const workspaceId = await lockWorkspace(manager, source.definition.workspace.id);
  if (workspaceId === undefined) return;
  const slugs = source.definition.workflows.map(({ id }) => id);
  const workflows = await lockWorkflows(manager, workspaceId, slugs);
  const ids = workflows.map(({ id }) => id);
  await refuseTaskLoss(manager, workspaceId, ids);
  await manager.query(deleteRelationships, [workspaceId, ids]);
  for (const { id } of workflows) await deleteWorkflow(manager, { workspaceId, workflowId: id });
  await manager.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
  await recordRemoval(manager, workspaceId, workflows, author);
  await manager.query(deleteEmptyWorkspace, [workspaceId]);
  await announceChange(manager, { workspaceId });
}

const deleteRelationships = `
  DELETE FROM relationships
  WHERE workspace_id = $1 AND (from_workflow_id = ANY($2) OR to_workflow_id = ANY($2))`;

const deleteEmptyWorkspace = `
  WITH empty AS (
    SELECT id FROM workspaces w WHERE id = $1 AND NOT EXISTS (SELECT FROM workflows WHERE workspace_id = w.id)
  ), keys AS (
    DELETE FROM api_keys WHERE workspace_id IN (SELECT id FROM empty)
  ), versions AS (
    DELETE FROM definition_versions WHERE workspace_id IN (SELECT id FROM empty)
  ), answers AS (
    DELETE FROM idempotency_keys WHERE workspace_id IN (SELECT id FROM empty)
  ), people AS (
    DELETE FROM users WHERE workspace_id IN (SELECT id FROM empty)
  )
  DELETE FROM workspaces WHERE id IN (SELECT id FROM empty)`;

/** In the order in which `applyDefinition` locks: the workspace before its workflows. */
async function lockWorkspace(db: EntityManager, slug: string): Promise<number | undefined> {
  const lock = { mode: 'for_no_key_update' } as const;
  return (await db.findOne(WorkspaceEntity, { where: { slug }, lock }))?.id;
}

interface SeededWorkflow {
  readonly id: number;
  readonly slug: string;
}

async function lockWorkflows(
  db: EntityManager,
  workspaceId: number,
  slugs: string[],
): Promise<SeededWorkflow[]> {
  const rows = await db.query<SeededWorkflow[]>(
    'SELECT id, slug FROM workflows WHERE workspace_id = $1 AND slug = ANY($2) ORDER BY id',
    [workspaceId, slugs],
  );
  for (const { id } of rows) await db.query('SELECT pg_advisory_xact_lock($1, $2)', [workspaceId, id]);
  return rows;
}

/** Writes the definition down that is left; throws when what stays refers to what is gone. */
async function recordRemoval(
  db: EntityManager,
  workspaceId: number,
  workflows: readonly SeededWorkflow[],
  author: string,
): Promise<void> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  if (!rows) throw new Error('a locked workspace is gone');
  const definition = storedDefinition(rows);
  checkDefinition(definition, { file: 'migration', definition, faults: [] });
  const changes = workflows.map(({ slug }) => ({ kind: 'remove', what: 'workflow', name: slug }) as const);
  const { version } = rows.workspace;
  await recordVersion(db, { workspaceId, version, author, changes, definition });
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
