import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../store/checklist-item.entity.js';
import { type StageEntity } from '../../workflows/model/entities/stage.entity.js';
import { UniqueIdCounterEntity } from '../store/task.entity.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { isNumbered, storageOf } from '../../workflows/fields/field-types.js';
import { releaseBlobsWithin } from '../files/blobs.repository.js';
import { type TaskKey } from '../store/task-keys.js';
import { nextVersion, ofWorkflow } from '../store/task-row.js';
import { type AppliedDefinition } from '../../workflows/model/impact.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workflows/model/definition.js';
import { sql } from '../../common/database/sql.js';

/**
 * Moves tasks and checklist items out of removed stages, and deletes the values of removed fields. Deletes
 * checklist items if the definition names no other stage for them.
 */
export async function clearRemoved(
  db: EntityManager,
  { workspaceId, id: workflowId, slug }: WorkflowEntity,
  { merged, matches: { gone }, after }: AppliedDefinition,
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
  for (const { id, type } of fields) if (storageOf(type) === 'blobs') await releaseBlobsWithin(db, place, id);
  const valued = fields.filter(({ type }) => storageOf(type) !== 'column').map(({ id }) => id);
  if (valued.length > 0) await inChunks(db, place, removeValues, [valued]);
  if (valued.length === fields.length) return;
  await inChunks(db, place, removeUniqueIds, []);
  await db.delete(UniqueIdCounterEntity, place);
}

/** Returns the stage to which the tasks of a removed stage move; undefined if the definition names none. */
export function destinationOf(
  { name }: StageEntity,
  workflow: string,
  { workflows }: WorkspaceDefinition,
): string | undefined {
  const { removed_stages = [] } = workflows.find(({ id }) => id === workflow) ?? {};
  return removed_stages.find((stage) => stage.name === name)?.move_tasks_to;
}

function stageNamed(name: string | undefined, stages: readonly StageEntity[]): StageEntity | undefined {
  const stage = stages.find((each) => each.name === name);
  if (name !== undefined && !stage) throw new Error('a definition that was not checked cannot be stored');
  return stage;
}

/**
 * Runs a statement on chunks of a workflow's tasks, in the order of their ids. In the statement, $1 is the
 * workspace and $2 the workflow. The chunk contains the ids greater than $3, up to $4. `values` begin at $5.
 */
async function inChunks(
  db: EntityManager,
  place: Omit<TaskKey, 'taskId'>,
  statement: string,
  values: readonly unknown[],
): Promise<void> {
  const ofWorkflow = [place.workspaceId, place.workflowId];
  for (let after = '0'; ;) {
    const [chunk] = await sql<{ last: string | null }>(db, nextChunk, [...ofWorkflow, after]);
    if (!chunk || chunk.last === null) return;
    await sql(db, { text: statement }, [...ofWorkflow, after, chunk.last, ...values]);
    after = chunk.last;
  }
}

/** SQL: whether the task `t` is in the chunk. */
const inChunk = `${ofWorkflow} AND t.id > $3 AND t.id <= $4`;

const nextChunk = {
  text: `
    SELECT max(id) AS last FROM (
      SELECT t.id FROM tasks t WHERE ${ofWorkflow} AND t.id > $3 ORDER BY t.id LIMIT 20000
    ) chunk`,
};

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

export async function deleteTasksOf(
  db: EntityManager,
  { workspaceId, id: workflowId }: WorkflowEntity,
): Promise<void> {
  const place = { workspaceId, workflowId };
  await releaseBlobsWithin(db, place);
  await inChunks(db, place, deleteTasks, []);
  await db.delete(UniqueIdCounterEntity, place);
}

// Foreign keys also delete the checklist, comments, links, approvals, clocks and timers of the task.
const deleteTasks = `DELETE FROM tasks t WHERE ${inChunk}`;

export async function updateCopies(
  db: EntityManager,
  { rows, stored, merged }: AppliedDefinition,
): Promise<void> {
  for (const { id, slug, workspaceId } of rows.workflows) {
    const before = stored?.workflows.find((workflow) => workflow.id === slug);
    const after = merged.workflows.find((workflow) => workflow.id === slug);
    if (!before || !after) continue;
    if (endsOf(before) !== endsOf(after)) await db.query(updateActive, [workspaceId, id]);
    if (counts(after) && !counts(before)) await db.query(startCounter, [workspaceId, id]);
  }
}

// `is_active` depends on whether the stage of the task is an end stage.
const updateActive = `
  UPDATE tasks t SET is_active = NOT s.is_end FROM stages s
  WHERE t.workspace_id = $1 AND s.workspace_id = $1 AND s.workflow_id = t.workflow_id AND t.workflow_id = $2
    AND s.id = t.stage_id AND t.is_active = s.is_end`;

const startCounter = `
  INSERT INTO unique_id_counters AS c (workspace_id, workflow_id, last)
  SELECT $1, $2, COALESCE(max(unique_value::numeric), 0) FROM tasks
  WHERE workspace_id = $1 AND workflow_id = $2 AND unique_value ~ '^(0|[1-9][0-9]{0,37})$'
  ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET last = GREATEST(c.last, excluded.last)`;

const endsOf = ({ stages }: WorkflowDefinition): string =>
  JSON.stringify(stages.map(({ name, end }) => [name, end]));
const counts = ({ fields }: WorkflowDefinition): boolean => fields.some(isNumbered);
