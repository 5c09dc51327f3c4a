import { type EntityManager, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { sql } from '../../database/sql.js';
import { ActionEntity } from '../../entities/action.entity.js';
import { ChecklistTemplateItemEntity } from '../../entities/checklist-template-item.entity.js';
import { FieldEntity } from '../../entities/field.entity.js';
import { MemberEntity } from '../../entities/member.entity.js';
import { RelationshipEntity } from '../../entities/relationship.entity.js';
import { RoleEntity } from '../../entities/role.entity.js';
import { StageEntity } from '../../entities/stage.entity.js';
import { type Gone, type GoneWithin } from '../gone.js';
import { deleteWorkflow } from './delete-workflow.js';
import { type OnProgress } from './draft.js';

/** Deletes the rows of what is gone, when the data has left them. */
export async function removeGone(
  db: EntityManager,
  { workflows, relationships, within }: Gone,
  onProgress?: OnProgress,
): Promise<void> {
  await remove(db, RelationshipEntity, relationships);
  for (const one of within) await removeWithin(db, one);
  for (const { workspaceId, id } of workflows)
    await deleteWorkflow(db, { workspaceId, workflowId: id }, onProgress);
}

async function removeWithin(db: EntityManager, gone: GoneWithin): Promise<void> {
  await remove(db, MemberEntity, gone.members);
  await remove(db, RoleEntity, gone.roles);
  await remove(db, ActionEntity, gone.actions);
  await remove(db, ChecklistTemplateItemEntity, gone.items);
  await remove(db, FieldEntity, gone.fields);
  const stages = gone.stages.map(({ stage }) => stage);
  await remove(db, StageEntity, stages);
  if (gone.fields.some(({ type }) => type === 'uniqueId')) await sql(db, forgetCounter, placeOf(gone));
}

async function remove<Row extends ObjectLiteral>(
  db: EntityManager,
  table: EntityTarget<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length > 0)
    await db.remove(
      table,
      [...rows].map((row) => ({ ...row })),
    );
}

function placeOf({ workflow }: GoneWithin): readonly unknown[] {
  return [workflow.workspaceId, workflow.id];
}

const forgetCounter = {
  text: 'DELETE FROM unique_id_counters WHERE workspace_id = $1 AND workflow_id = $2',
};
