import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type StageEntity } from '../../entities/stage.entity.js';
import { type GoneStage, type GoneWithin } from '../gone.js';
import { type OnProgress } from './draft.js';
import { releaseFiles } from './release-files.js';
import { inStretches } from './task-place.js';

/** Takes the data out of the stages and fields that go; `stages` are those that stay. */
export async function clearGone(
  db: EntityManager,
  { workflow, stages: goneStages, fields }: GoneWithin,
  stages: readonly StageEntity[],
  onProgress?: OnProgress,
): Promise<void> {
  const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
  for (const gone of goneStages) {
    const target = targetOf(gone, stages);
    const moving = { task: 'moving tasks', onProgress };
    if (!target) await sql(db, deleteItems, [place.workspaceId, place.workflowId, gone.stage.id]);
    else {
      await inStretches(db, place, moveTasks, [gone.stage.id, target.id, !target.isEnd], moving);
      await inStretches(db, place, moveItems, [gone.stage.id, target.id], moving);
    }
  }
  for (const { id, type } of fields) if (type === 'file') await releaseFiles(db, place, id);
  const removing = { task: 'removing values', onProgress };
  const valued = fields.filter(({ type }) => type !== 'uniqueId').map(({ id }) => id);
  if (valued.length > 0) await inStretches(db, place, removeValues, [valued], removing);
  if (valued.length < fields.length) await inStretches(db, place, removeUniqueIds, [], removing);
}

/** Deletes all links of these relationships; whom they joined is changed by that. */
export async function deleteLinks(
  db: EntityManager,
  workspaceId: number,
  relationshipIds: readonly string[],
): Promise<void> {
  if (relationshipIds.length > 0) await sql(db, unlink, [workspaceId, relationshipIds]);
}

function targetOf({ target }: GoneStage, stages: readonly StageEntity[]): StageEntity | undefined {
  const stage = stages.find(({ name }) => name === target);
  if (target !== undefined && !stage) throw new Error('a definition that was not checked cannot be stored');
  return stage;
}

const isTouched = 'version = version + 1, updated_at = clock_timestamp()';
const inStretch = 'workspace_id = $1 AND workflow_id = $2 AND id > $3 AND id <= $4';

const moveTasks = `
  UPDATE tasks SET stage_id = $6, is_active = $7, ${isTouched} WHERE ${inStretch} AND stage_id = $5`;

const moveItems = `
  UPDATE checklist_items SET stage_id = $6
  WHERE workspace_id = $1 AND workflow_id = $2 AND task_id > $3 AND task_id <= $4 AND stage_id = $5`;

const deleteItems = {
  text: 'DELETE FROM checklist_items WHERE workspace_id = $1 AND workflow_id = $2 AND stage_id = $3',
};

const removeValues = `
  UPDATE tasks SET field_values = field_values - $5::text[], ${isTouched}
  WHERE ${inStretch} AND field_values ?| $5::text[]`;

const removeUniqueIds = `
  UPDATE tasks SET unique_value = NULL, ${isTouched} WHERE ${inStretch} AND unique_value IS NOT NULL`;

const unlink = {
  text: `
    WITH gone AS (
      DELETE FROM links WHERE workspace_id = $1 AND relationship_id = ANY($2)
      RETURNING from_workflow_id, from_id, to_workflow_id, to_id
    ), ends AS (
      SELECT from_workflow_id AS workflow_id, from_id AS id FROM gone
      UNION SELECT to_workflow_id, to_id FROM gone
    )
    UPDATE tasks t SET version = t.version + 1, updated_at = clock_timestamp() FROM ends e
    WHERE t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.id`,
};
