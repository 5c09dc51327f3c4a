import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { ChecklistItemEntity } from '../../../tasks/store/checklist-item.entity.js';
import { ExecutionEntity } from '../../../executions/execution.entity.js';
import { type StageEntity } from '../../model/entities/stage.entity.js';
import { UniqueIdCounterEntity } from '../../../tasks/store/unique-id-counter.entity.js';
import { WorkflowEntity } from '../../model/entities/workflow.entity.js';
import { isNumbered, storageOf } from '../../fields/field-types.js';
import { releaseBlobsOfField, releaseBlobsOfWorkflow } from '../../../tasks/files/blobs.repository.js';
import { nextVersion } from '../../../tasks/store/task-row.js';
import { type ChangedDefinition, type MatchedRows } from '../../model/changed-definition.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../model/definition.js';
import { rowsIn, type WorkspaceRows } from '../../model/workspace-rows.js';
import { kinds, kindsWithin, workflowKinds } from '../kinds.js';
import { inChunk, inChunks, type WorkflowPlace } from './in-chunks.js';

/** Moves tasks and items out of removed stages of a workflow, and deletes the values of its removed fields. */
export async function clearRemoved(
  db: EntityManager,
  { workspaceId, id: workflowId, slug }: WorkflowEntity,
  { merged, matches: { gone } }: ChangedDefinition,
  after: WorkspaceRows,
): Promise<void> {
  const place = { workspaceId, workflowId };
  const left = new Set(gone.stages.map(({ id }) => id));
  const staying = after.stages.filter((stage) => stage.workflowId === workflowId && !left.has(stage.id));
  for (const stage of gone.stages.filter((each) => each.workflowId === workflowId)) {
    const target = stageNamed(destinationOf(stage, slug, merged), staying);
    if (!target) await db.delete(ChecklistItemEntity, { ...place, stageId: stage.id });
    else {
      await inChunks(db, place, moveFromRemovedStages, [stage.id, target.id, !target.isEnd]);
      await inChunks(db, place, moveItems, [stage.id, target.id]);
    }
  }
  const fields = gone.fields.filter((field) => field.workflowId === workflowId);
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

/** The name of the stage to which the tasks of a removed stage move, if the file names one. */
export function destinationOf(
  { name }: StageEntity,
  workflow: string,
  { workflows }: WorkspaceDefinition,
): string | undefined {
  const { removed_stages = [], move_tasks_to } = workflows.find(({ id }) => id === workflow) ?? {};
  return removed_stages.find((stage) => stage.name === name)?.move_tasks_to ?? move_tasks_to;
}

function stageNamed(name: string | undefined, stages: readonly StageEntity[]): StageEntity | undefined {
  const stage = stages.find((each) => each.name === name);
  if (name !== undefined && !stage) throw new Error('a definition that was not checked cannot be stored');
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
  for (const table of dataOfWorkflow) await db.delete(table, { workspaceId, workflowId });
  for (const { rows } of workflowKinds.toReversed())
    if (rows) await db.delete(rows.entity, { workspaceId, workflowId });
  await db.delete(WorkflowEntity, { workspaceId, id: workflowId });
}

const dataOfWorkflow = [ExecutionEntity, UniqueIdCounterEntity];

// The deletion of a task cascades to its checklist, comments and links.
const deleteTasks = `DELETE FROM tasks t WHERE ${inChunk}`;

/** Deletes the rows of removed elements, once no data refers to them: those that refer to others first. */
export async function deleteRemoved(db: EntityManager, { gone }: MatchedRows): Promise<void> {
  for (const { name, list, rows } of kinds.toReversed()) {
    const removed = rowsIn(gone, list).map((row) => ({ ...row }));
    // What holds lists goes with all that is in them.
    if (rows && removed.length > 0 && kindsWithin(name).length === 0) await db.remove(rows.entity, removed);
  }
  for (const { type, workspaceId, workflowId } of gone.fields)
    if (storageOf(type) === 'column') await db.delete(UniqueIdCounterEntity, { workspaceId, workflowId });
  for (const { workspaceId, id } of gone.workflows) await deleteWorkflow(db, { workspaceId, workflowId: id });
}

/** After a definition was stored, updates what tasks copy from it. */
export async function moveTasks(
  db: EntityManager,
  { rows, stored, merged }: ChangedDefinition,
): Promise<void> {
  for (const { id, slug, workspaceId } of rows.workflows) {
    const before = stored?.workflows.find((workflow) => workflow.id === slug);
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
