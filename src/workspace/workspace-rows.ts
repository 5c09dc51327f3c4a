import { type EntityManager, type ObjectLiteral } from 'typeorm';
import { ActionEntity } from './entities/action.entity.js';
import { ChannelEntity } from './entities/channel.entity.js';
import { ChecklistTemplateItemEntity } from './entities/checklist-template-item.entity.js';
import { type WayOfChange } from '../schema/task-schema.js';
import { FieldEntity } from './entities/field.entity.js';
import { MemberEntity } from './entities/member.entity.js';
import { RelationshipEntity } from './entities/relationship.entity.js';
import { RoleEntity } from './entities/role.entity.js';
import { StageEntity } from './entities/stage.entity.js';
import { UserEntity } from './entities/user.entity.js';
import { WebhookEntity } from './entities/webhook.entity.js';
import { WorkflowEntity } from './entities/workflow.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import {
  type ActionDefinition,
  type RelationshipDefinition,
  type RelationshipEnd,
  type RoleDefinition,
  type StageDefinition,
  type UserDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
  type StepDefinition,
} from './definition.js';
import { type FieldDefinition } from './field-definition.js';
import { type CalendarDefinition } from './calendar-definition.js';
import { type ClockDefinition } from './clock-definition.js';
import { type NotificationDefaults } from './notification-definition.js';
import { type RuleDefinition } from './rule-definition.js';
import { channelDefinition } from './channel-definition.js';
import { type ViewDefinition } from './view-definition.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { webhookDefinition } from './webhook-rows.js';

/** The stored definition of one workspace, with every list in the order of the definition. */
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
  /** Those of the definition, not those of the API. */
  readonly webhooks: WebhookEntity[];
  readonly channels: ChannelEntity[];
}

/** Reads a workspace's definition; `db` should be a transaction with a snapshot. */
export async function loadWorkspaceRows(
  db: EntityManager,
  workspaceId: number,
): Promise<WorkspaceRows | undefined> {
  const workspace = await db.findOneBy(WorkspaceEntity, { id: workspaceId });
  if (!workspace) return undefined;
  const ofWorkspace = { workspaceId };
  return {
    workspace,
    users: await readAll(db, UserEntity, ofWorkspace),
    workflows: await readAll(db, WorkflowEntity, ofWorkspace),
    stages: await readAll(db, StageEntity, ofWorkspace),
    fields: await readAll(db, FieldEntity, ofWorkspace),
    checklist: await readAll(db, ChecklistTemplateItemEntity, ofWorkspace),
    roles: await readAll(db, RoleEntity, ofWorkspace),
    members: await readAll(db, MemberEntity, ofWorkspace),
    actions: await readAll(db, ActionEntity, ofWorkspace),
    relationships: await readAll(db, RelationshipEntity, ofWorkspace),
    webhooks: await readAll(db, WebhookEntity, { workspaceId, managedBy: 'definition' }),
    channels: await readAll(db, ChannelEntity, ofWorkspace),
  };
}

/** All rows in the order of the definition, read in parts: TypeORM converts all rows of a query at once. */
async function readAll<Row extends { position: number }>(
  db: EntityManager,
  entity: EntityClass<Row>,
  where: ObjectLiteral,
): Promise<Row[]> {
  const query = db.createQueryBuilder(entity, 'row').where(where).limit(CHUNK_ROWS);
  for (const { propertyName } of db.dataSource.getMetadata(entity).primaryColumns)
    query.addOrderBy(`row.${propertyName}`);
  const rows: Row[] = [];
  for (let isMore = true; isMore;) {
    const chunk = await query.offset(rows.length).getMany();
    rows.push(...chunk);
    isMore = chunk.length === CHUNK_ROWS;
  }
  return rows.sort((one, other) => one.position - other.position);
}

type EntityClass<Row> = new () => Row;

const CHUNK_ROWS = 2000;

/** The definition of these rows, as an export shows it. */
export function storedDefinition(rows: WorkspaceRows): WorkspaceDefinition {
  const { slug, name, timezone, settings } = rows.workspace;
  return {
    workspace: { id: slug, name, timezone },
    users: rows.users.map(userDefinition),
    workflows: rows.workflows.map(workflowDefinitions(rows)),
    relationships: storedRelationships(rows),
    webhooks: rows.webhooks.map(webhookDefinition),
    channels: rows.channels.map(channelDefinition),
    calendars: [...calendarsOf(rows.workspace)],
    views: [...viewsOf(rows.workspace)],
    ...('notifications' in settings && { notifications: notificationsOf(rows.workspace) }),
  };
}

/** The relationships among these rows. */
export function storedRelationships({ workflows, relationships }: WorkspaceRows): RelationshipDefinition[] {
  const slugs = new Map(workflows.map((workflow) => [workflow.id, workflow.slug]));
  const slugOf = (id: number): string => slugs.get(id) ?? '';
  const end = (workflowId: number, name: string, change: WayOfChange): RelationshipEnd => ({
    workflow: slugOf(workflowId),
    name,
    ...(change === 'by_actions' && { change }),
  });
  return relationships.map(({ id, kind, ...ends }) => ({
    id,
    kind,
    from: end(ends.fromWorkflowId, ends.fromName, ends.fromChange),
    to: end(ends.toWorkflowId, ends.toName, ends.toChange),
  }));
}

function userDefinition({ email, firstName, lastName, active, away }: UserEntity): UserDefinition {
  return { email, first_name: firstName, last_name: lastName, active, ...(away && { away }) };
}

export interface OfWorkflow {
  readonly workflowId: number;
}

/** Finds the rows of a workflow, in order. */
export function byWorkflow<Row extends OfWorkflow>(
  rows: readonly Row[],
): (workflow: Pick<WorkflowEntity, 'id'>) => readonly Row[] {
  const found = new Map<number, Row[]>();
  for (const row of rows) {
    const known = found.get(row.workflowId);
    if (known) known.push(row);
    else found.set(row.workflowId, [row]);
  }
  return ({ id }) => found.get(id) ?? [];
}

/** Finds all parts of a workflow, in order. */
export function partsByWorkflow(rows: WorkspaceRows) {
  const stages = byWorkflow(rows.stages);
  const fields = byWorkflow(rows.fields);
  const checklist = byWorkflow(rows.checklist);
  const roles = byWorkflow(rows.roles);
  const members = byWorkflow(rows.members);
  const actions = byWorkflow(rows.actions);
  return (workflow: Pick<WorkflowEntity, 'id'>) => ({
    stages: stages(workflow),
    fields: fields(workflow),
    checklist: checklist(workflow),
    roles: roles(workflow),
    members: members(workflow),
    actions: actions(workflow),
  });
}

/** The definitions of the workflows among these rows. */
export function workflowDefinitions(
  rows: WorkspaceRows,
): (workflow: Pick<WorkflowEntity, 'id' | 'slug' | 'name' | 'search' | 'settings'>) => WorkflowDefinition {
  const emails = new Map(rows.users.map((user) => [user.id, user.email]));
  const partsOf = partsByWorkflow(rows);
  return (workflow) => {
    const { stages, fields, checklist, roles, members, actions } = partsOf(workflow);
    const stageNames = new Map(stages.map((stage) => [stage.id, stage.name]));
    return {
      id: workflow.slug,
      name: workflow.name,
      ...(workflow.search && { search: workflow.search }),
      stages: stages.map(stageDefinition),
      fields: fields.map(fieldDefinition),
      checklist: checklist.map(({ title, stageId }) => ({
        title,
        stage: stageNames.get(stageId) ?? '',
      })),
      roles: roles.map(roleDefinition),
      members: members.map(({ userId, roleId, furtherRoleIds: further }) => ({
        email: emails.get(userId) ?? '',
        role: further.length === 0 ? roleId : [roleId, ...further],
      })),
      actions: actions.map(actionDefinition),
      rules: [...rulesOf(workflow)],
      clocks: [...clocksOf(workflow)],
      schedules: [...schedulesOf(workflow)],
    };
  };
}

export function rulesOf({ settings }: Pick<WorkflowEntity, 'settings'>): readonly RuleDefinition[] {
  // Only storeDefinition writes this column, after all checks.
  return (settings['rules'] ?? []) as readonly RuleDefinition[];
}

export function clocksOf({ settings }: Pick<WorkflowEntity, 'settings'>): readonly ClockDefinition[] {
  return (settings['clocks'] ?? []) as readonly ClockDefinition[];
}

export function schedulesOf({ settings }: Pick<WorkflowEntity, 'settings'>): readonly ScheduleDefinition[] {
  return (settings['schedules'] ?? []) as readonly ScheduleDefinition[];
}

export function calendarsOf({ settings }: Pick<WorkspaceEntity, 'settings'>): readonly CalendarDefinition[] {
  return (settings['calendars'] ?? []) as readonly CalendarDefinition[];
}

/** The shared views of a workspace. */
export function viewsOf({ settings }: Pick<WorkspaceEntity, 'settings'>): readonly ViewDefinition[] {
  return (settings['views'] ?? []) as readonly ViewDefinition[];
}

/** The defaults for where users of a workspace are notified. */
export function notificationsOf({ settings }: Pick<WorkspaceEntity, 'settings'>): NotificationDefaults {
  return settings['notifications'] ?? {};
}

function stageDefinition({ name, isInitial, isEnd, outcome, enter, settings }: StageEntity): StageDefinition {
  return {
    name,
    initial: isInitial,
    end: isEnd,
    ...(outcome === 'dropped' && { outcome }),
    enter,
    ...settings,
  };
}

function fieldDefinition({ name, type, required, editable, settings }: FieldEntity): FieldDefinition {
  return { name, type, required, editable, ...settings };
}

function roleDefinition(role: RoleEntity): RoleDefinition {
  const { id, name, isAdmin, actions, sees, edits, creates, moves, deletes, settings } = role;
  return { id, name, admin: isAdmin, actions, sees, edits, creates, moves, deletes, ...settings };
}

function actionDefinition({
  id,
  name,
  stages,
  requirements,
  steps,
  settings,
}: ActionEntity): ActionDefinition {
  // Only storeDefinition writes this column, after all checks.
  return { id, name, stages, requirements, steps: steps as StepDefinition[], ...settings };
}
