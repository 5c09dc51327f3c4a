import { type EntityManager, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { sql } from '../../database/sql.js';
import { StageEntity } from '../../workspace/entities/stage.entity.js';
import { type RemovedStage, type RemovalsWithin, type Removals } from '../store/removals.js';
import { inChunk, inChunks, type WorkflowPlace } from './in-chunks.js';
import { ActionEntity } from '../../workspace/entities/action.entity.js';
import { ChecklistItemEntity } from '../../task-store/checklist-item.entity.js';
import { ChecklistTemplateItemEntity } from '../../workspace/entities/checklist-template-item.entity.js';
import { ExecutionEntity } from '../../executions/execution.entity.js';
import { FieldEntity } from '../../workspace/entities/field.entity.js';
import { MemberEntity } from '../../workspace/entities/member.entity.js';
import { RelationshipEntity } from '../../workspace/entities/relationship.entity.js';
import { RoleEntity } from '../../workspace/entities/role.entity.js';
import { isNumbered, storageOf } from '../../schema/field-types.js';
import { UniqueIdCounterEntity } from '../../task-store/unique-id-counter.entity.js';
import { ChannelEntity } from '../../workspace/entities/channel.entity.js';
import { WebhookEntity } from '../../workspace/entities/webhook.entity.js';
import { WorkflowEntity } from '../../workspace/entities/workflow.entity.js';
import { releaseBlobsOfField, releaseBlobsOfWorkflow } from '../../task-store/blobs.repository.js';
import { nextVersion } from '../../task-store/task-row.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workspace/definition.js';
import { storedDefinition, type WorkspaceRows } from '../../workspace/workspace-rows.js';

/** Moves tasks and items out of removed stages, and deletes the values of removed fields; `stages` are kept. */
export async function clearRemoved(
  db: EntityManager,
  { workflow, stages: removedStages, fields }: RemovalsWithin,
  stages: readonly StageEntity[],
): Promise<void> {
  const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
  for (const removed of removedStages) {
    const target = targetOf(removed, stages);
    if (!target) await db.delete(ChecklistItemEntity, { ...place, stageId: removed.stage.id });
    else {
      await inChunks(db, place, moveFromRemovedStages, [removed.stage.id, target.id, !target.isEnd]);
      await inChunks(db, place, moveItems, [removed.stage.id, target.id]);
    }
  }
  for (const { id, type } of fields)
    if (storageOf(type) === 'blobs') await releaseBlobsOfField(db, place, id);
  const valued = fields.filter(({ type }) => storageOf(type) !== 'column').map(({ id }) => id);
  if (valued.length > 0) await inChunks(db, place, removeValues, [valued]);
  if (valued.length < fields.length) await inChunks(db, place, removeUniqueIds, []);
}

/** Deletes all links of these relationships; the linked tasks count as changed. */
export async function deleteLinks(
  db: EntityManager,
  workspaceId: number,
  relationshipIds: readonly string[],
): Promise<void> {
  if (relationshipIds.length > 0) await sql(db, unlink, [workspaceId, relationshipIds]);
}

function targetOf({ target }: RemovedStage, stages: readonly StageEntity[]): StageEntity | undefined {
  const stage = stages.find(({ name }) => name === target);
  if (target !== undefined && !stage) throw new Error('a definition that was not checked cannot be stored');
  return stage;
}

const moveFromRemovedStages = `
  UPDATE tasks t SET stage_id = $6, is_active = $7, ${nextVersion} WHERE ${inChunk} AND t.stage_id = $5`;

const moveItems = `
  UPDATE checklist_items SET stage_id = $6
  WHERE workspace_id = $1 AND workflow_id = $2 AND task_id > $3 AND task_id <= $4 AND stage_id = $5`;

const removeValues = `
  UPDATE tasks t SET field_values = t.field_values - $5::text[], ${nextVersion}
  WHERE ${inChunk} AND t.field_values ?| $5::text[]`;

const removeUniqueIds = `
  UPDATE tasks t SET unique_value = NULL, ${nextVersion} WHERE ${inChunk} AND t.unique_value IS NOT NULL`;

const unlink = {
  text: `
    WITH removed AS (
      DELETE FROM links WHERE workspace_id = $1 AND relationship_id = ANY($2)
      RETURNING from_workflow_id, from_id, to_workflow_id, to_id
    ), ends AS (
      SELECT from_workflow_id AS workflow_id, from_id AS id FROM removed
      UNION SELECT to_workflow_id, to_id FROM removed
    )
    UPDATE tasks t SET ${nextVersion} FROM ends e
    WHERE t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.id`,
};

/** Deletes a workflow with all its tasks and their data. No relationship may join it any more. */
async function deleteWorkflow(db: EntityManager, place: WorkflowPlace): Promise<void> {
  await releaseBlobsOfWorkflow(db, place);
  await inChunks(db, place, deleteTasks, []);
  const { workspaceId, workflowId } = place;
  for (const table of ofWorkflow) await db.delete(table, { workspaceId, workflowId });
  await db.delete(WorkflowEntity, { workspaceId, id: workflowId });
}

// Rows that refer to others are deleted first.
const ofWorkflow = [
  ExecutionEntity,
  MemberEntity,
  RoleEntity,
  ActionEntity,
  ChecklistTemplateItemEntity,
  FieldEntity,
  StageEntity,
  UniqueIdCounterEntity,
];

// The deletion of a task cascades to its checklist, comments and links.
const deleteTasks = `DELETE FROM tasks t WHERE ${inChunk}`;

/** Deletes the rows of removed elements, once no data refers to them. */
export async function deleteRemoved(
  db: EntityManager,
  { workflows, relationships, webhooks, channels, within }: Removals,
): Promise<void> {
  await remove(db, RelationshipEntity, relationships);
  await remove(db, WebhookEntity, webhooks);
  await remove(db, ChannelEntity, channels);
  for (const one of within) await removeWithin(db, one);
  for (const { workspaceId, id } of workflows) await deleteWorkflow(db, { workspaceId, workflowId: id });
}

async function removeWithin(db: EntityManager, removals: RemovalsWithin): Promise<void> {
  await remove(db, MemberEntity, removals.members);
  await remove(db, RoleEntity, removals.roles);
  await remove(db, ActionEntity, removals.actions);
  await remove(db, ChecklistTemplateItemEntity, removals.items);
  await remove(db, FieldEntity, removals.fields);
  const stages = removals.stages.map(({ stage }) => stage);
  await remove(db, StageEntity, stages);
  if (removals.fields.some(({ type }) => storageOf(type) === 'column')) {
    const { workspaceId, id } = removals.workflow;
    await db.delete(UniqueIdCounterEntity, { workspaceId, workflowId: id });
  }
}

async function remove<Row extends ObjectLiteral>(
  db: EntityManager,
  table: EntityTarget<Row>,
  rows: readonly Row[],
): Promise<void> {
  const copies = rows.map((row) => ({ ...row }));
  if (copies.length > 0) await db.remove(table, copies);
}

/** After a definition was stored, updates what tasks copy from it. */
export async function moveTasks(
  db: EntityManager,
  rows: WorkspaceRows,
  merged: WorkspaceDefinition,
): Promise<void> {
  const stored = storedDefinition(rows).workflows;
  for (const { id, slug, workspaceId } of rows.workflows) {
    const before = stored.find((workflow) => workflow.id === slug);
    const after = merged.workflows.find((workflow) => workflow.id === slug);
    if (!before || !after) continue;
    if (endsOf(before) !== endsOf(after)) await refreshActive(db, workspaceId, id);
    if (counts(after) && !counts(before)) await db.query(startCounter, [workspaceId, id]);
  }
}

/** Sets whether tasks are active, by their stages; for one workflow or for all. */
export async function refreshActive(
  db: EntityManager,
  workspaceId: number,
  workflowId?: number,
): Promise<void> {
  if (workflowId === undefined) await db.query(updateActive, [workspaceId]);
  else await db.query(`${updateActive} AND t.workflow_id = $2`, [workspaceId, workflowId]);
}

const updateActive = `
  UPDATE tasks t SET is_active = NOT s.is_end FROM stages s
  WHERE t.workspace_id = $1 AND s.workspace_id = $1 AND s.workflow_id = t.workflow_id
    AND s.id = t.stage_id AND t.is_active = s.is_end`;

const startCounter = `
  INSERT INTO unique_id_counters AS c (workspace_id, workflow_id, last)
  SELECT $1, $2, COALESCE(max(unique_value::numeric), 0) FROM tasks
  WHERE workspace_id = $1 AND workflow_id = $2 AND unique_value ~ '^(0|[1-9][0-9]{0,37})$'
  ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET last = GREATEST(c.last, excluded.last)`;

const endsOf = ({ stages }: WorkflowDefinition): string =>
  JSON.stringify(stages.map(({ name, end }) => [name, end]));
const counts = ({ fields }: WorkflowDefinition): boolean => fields.some(isNumbered);
