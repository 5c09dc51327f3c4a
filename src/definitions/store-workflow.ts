import { type EntityManager } from 'typeorm';
import { ActionEntity } from '../entities/action.entity.js';
import { ChecklistTemplateItemEntity } from '../entities/checklist-template-item.entity.js';
import { FieldEntity } from '../entities/field.entity.js';
import { MemberEntity } from '../entities/member.entity.js';
import { RoleEntity } from '../entities/role.entity.js';
import { StageEntity } from '../entities/stage.entity.js';
import {
  type ActionDefinition,
  type ChecklistItemDefinition,
  type FieldDefinition,
  type MemberDefinition,
  type RoleDefinition,
  type StageDefinition,
  type WorkflowDefinition,
} from './definition.js';
import { known } from './known.js';
import { randomId } from './random-id.js';
import { reconcile, type Reconciled } from './reconcile.js';
import { saveRows } from './save-rows.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** Where a workflow's rows live. */
export interface Place {
  readonly workspaceId: number;
  readonly workflowId: number;
}

type Ids<Id> = ReadonlyMap<string | undefined, Id | undefined>;

/** Makes the rows of one workflow say what its definition says. */
export async function storeWorkflow(
  db: EntityManager,
  place: Place,
  rows: WorkspaceRows,
  workflow: WorkflowDefinition,
  userIds: Ids<string>,
): Promise<void> {
  const own = <Row extends Place>(all: readonly Row[]): Row[] =>
    all.filter(({ workflowId }) => workflowId === place.workflowId);
  const stages = await saveRows(db, StageEntity, stageRows(place, own(rows.stages), workflow.stages));
  const stageIds = new Map(stages.map(({ name, id }) => [name, id]));
  await saveRows(db, FieldEntity, fieldRows(place, own(rows.fields), workflow.fields));
  await saveRows(
    db,
    ChecklistTemplateItemEntity,
    itemRows(place, own(rows.checklist), workflow.checklist, stageIds),
  );
  await db.save(ActionEntity, actionRows(place, workflow.actions));
  await db.save(RoleEntity, roleRows(place, workflow.roles));
  await db.save(MemberEntity, memberRows(place, workflow.members, userIds));
}

function stageRows(
  place: Place,
  existing: StageEntity[],
  elements: StageDefinition[],
): Reconciled<StageEntity>[] {
  return reconcile<StageEntity, StageDefinition>({
    existing,
    elements,
    nameOfRow: ({ name }) => name,
    nameOf: ({ name }) => name,
    formerNameOf: ({ was }) => was,
    rowOf: ({ name, initial, end }, position, stage) => ({
      ...place,
      ...(stage && { id: stage.id }),
      name,
      isInitial: initial,
      isEnd: end,
      position,
    }),
  });
}

function fieldRows(
  place: Place,
  existing: FieldEntity[],
  elements: FieldDefinition[],
): Reconciled<FieldEntity>[] {
  return reconcile<FieldEntity, FieldDefinition>({
    existing,
    elements,
    nameOfRow: ({ name }) => name,
    nameOf: ({ name }) => name,
    formerNameOf: ({ was }) => was,
    rowOf: ({ name, was: _was, type, required, editable, ...settings }, position, field) => ({
      ...place,
      id: field?.id ?? randomId('f'),
      name,
      type,
      required,
      editable,
      settings,
      position,
    }),
  });
}

function itemRows(
  place: Place,
  existing: ChecklistTemplateItemEntity[],
  elements: ChecklistItemDefinition[],
  stageIds: Ids<number>,
): Reconciled<ChecklistTemplateItemEntity>[] {
  const name = (stageId: number | undefined, title: string): string => JSON.stringify([stageId, title]);
  return reconcile<ChecklistTemplateItemEntity, ChecklistItemDefinition>({
    existing,
    elements,
    nameOfRow: ({ stageId, title }) => name(stageId, title),
    nameOf: ({ stage, title }) => name(stageIds.get(stage), title),
    formerNameOf: ({ stage, was }) => (was === undefined ? undefined : name(stageIds.get(stage), was)),
    rowOf: ({ title, stage }, position, item) => ({
      ...place,
      ...(item && { id: item.id }),
      title,
      stageId: known(stageIds, stage),
      position,
    }),
  });
}

function actionRows(place: Place, actions: ActionDefinition[]): Partial<ActionEntity>[] {
  return actions.map((action, position) => ({ ...place, ...action, position }));
}

function roleRows(place: Place, roles: RoleDefinition[]): Partial<RoleEntity>[] {
  return roles.map(({ admin, ...role }, position) => ({ ...place, ...role, isAdmin: admin, position }));
}

function memberRows(
  place: Place,
  members: MemberDefinition[],
  userIds: Ids<string>,
): Partial<MemberEntity>[] {
  return members.map(({ email, role }, position) => ({
    ...place,
    userId: known(userIds, email.toLowerCase()),
    roleId: role,
    position,
  }));
}
