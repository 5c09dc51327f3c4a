import { type EntityManager } from 'typeorm';
import { ActionEntity } from '../entities/action.entity.js';
import { ChecklistTemplateItemEntity } from '../entities/checklist-template-item.entity.js';
import { FieldEntity } from '../entities/field.entity.js';
import { MemberEntity } from '../entities/member.entity.js';
import { RelationshipEntity } from '../entities/relationship.entity.js';
import { RoleEntity } from '../entities/role.entity.js';
import { StageEntity } from '../entities/stage.entity.js';
import { UserEntity } from '../entities/user.entity.js';
import { WorkflowEntity } from '../entities/workflow.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';

/** The stored definition of one workspace, every list in definition order. */
export interface WorkspaceRows {
  readonly workspace: WorkspaceEntity;
  readonly users: UserEntity[];
  readonly workflows: WorkflowEntity[];
  readonly stages: StageEntity[];
  readonly fields: FieldEntity[];
  readonly checklist: ChecklistTemplateItemEntity[];
  readonly roles: RoleEntity[];
  readonly members: MemberEntity[];
  readonly actions: ActionEntity[];
  readonly relationships: RelationshipEntity[];
}

/** Reads a workspace's definition; `db` should be a transaction that sees one snapshot. */
export async function loadWorkspaceRows(
  db: EntityManager,
  workspaceId: number,
): Promise<WorkspaceRows | undefined> {
  const workspace = await db.findOneBy(WorkspaceEntity, { id: workspaceId });
  if (!workspace) return undefined;
  const ofWorkspace = { where: { workspaceId }, order: { position: 'ASC' } } as const;
  return {
    workspace,
    users: await db.find(UserEntity, ofWorkspace),
    workflows: await db.find(WorkflowEntity, ofWorkspace),
    stages: await db.find(StageEntity, ofWorkspace),
    fields: await db.find(FieldEntity, ofWorkspace),
    checklist: await db.find(ChecklistTemplateItemEntity, ofWorkspace),
    roles: await db.find(RoleEntity, ofWorkspace),
    members: await db.find(MemberEntity, ofWorkspace),
    actions: await db.find(ActionEntity, ofWorkspace),
    relationships: await db.find(RelationshipEntity, ofWorkspace),
  };
}
