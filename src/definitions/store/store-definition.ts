import { type EntityManager, type DeepPartial, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { ChannelEntity } from '../../entities/channel.entity.js';
import { type FurtherSettings } from '../../entities/json-columns.js';
import { RelationshipEntity } from '../../entities/relationship.entity.js';
import { UserEntity } from '../../entities/user.entity.js';
import { WorkflowEntity } from '../../entities/workflow.entity.js';
import { WebhookEntity } from '../../entities/webhook.entity.js';
import { WorkspaceEntity } from '../../entities/workspace.entity.js';
import {
  type WorkflowDefinition,
  type WorkspaceDefinition,
  type ActionDefinition,
  type ChecklistItemDefinition,
  type MemberDefinition,
  type RoleDefinition,
  type StageDefinition,
} from '../../workspace/definition.js';
import { rolesNamed } from '../../workspace/role-definition.js';
import { type FieldDefinition } from '../../workspace/field-definition.js';
import { randomId } from '../../lib/random-id.js';
import { type ChannelDefinition } from '../../workspace/channel-definition.js';
import { type WebhookDefinition } from '../../workspace/webhook-definition.js';
import { wantedFollowers } from '../followers.js';
import { setFollowers } from '../../followers/followers.repository.js';
import { wantedSchedules } from '../../schedules/wanted-schedules.js';
import { setSchedules } from '../../schedules/schedule-states.repository.js';
import { setRules } from '../../rules/rule-states.repository.js';
import { beginWebhooks, webhookColumns } from '../../workspace/webhook-rows.js';
import { markChanges, markedWorkflows } from '../../approvals/marked-workflows.js';
import { reconcile, type Reconciled } from './reconcile.js';
import { type WorkspaceRows } from '../../workspace/workspace-rows.js';
import { ActionEntity } from '../../entities/action.entity.js';
import { ChecklistTemplateItemEntity } from '../../entities/checklist-template-item.entity.js';
import { FieldEntity } from '../../entities/field.entity.js';
import { MemberEntity } from '../../entities/member.entity.js';
import { RoleEntity } from '../../entities/role.entity.js';
import { StageEntity } from '../../entities/stage.entity.js';

/** Updates the rows of a workspace to match a checked definition. It never deletes a row. */
export async function storeDefinition(
  db: EntityManager,
  rows: WorkspaceRows,
  stored: WorkspaceDefinition | undefined,
  definition: WorkspaceDefinition,
): Promise<void> {
  const { id, name, timezone } = definition.workspace;
  await db.save(WorkspaceEntity, {
    ...rows.workspace,
    slug: id,
    ...(name && { name }),
    ...(timezone && { timezone }),
    settings: {
      ...filled({ calendars: definition.calendars, views: definition.views }),
      ...(definition.notifications && { notifications: definition.notifications }),
    },
  });
  const users = await saveRows(db, UserEntity, userRows(rows, definition));
  const workflows = await saveRows(db, WorkflowEntity, workflowRows(rows, definition));
  const userIds = new Map(users.map((user) => [user.email?.toLowerCase(), user.id]));
  const workflowIds = new Map(workflows.map((workflow) => [workflow.slug, workflow.id]));
  for (const workflow of definition.workflows) {
    if (isStored(stored, workflow)) continue;
    const place = { workspaceId: rows.workspace.id, workflowId: known(workflowIds, workflow.id) };
    await storeWorkflow(db, place, rows, workflow, userIds);
  }
  await setSchedules(db, rows.workspace.id, wantedSchedules(definition, workflowIds));
  await setFollowers(db, rows.workspace.id, wantedFollowers(definition));
  await markChanges(
    db,
    rows.workspace.id,
    markedWorkflows(definition).map((slug) => known(workflowIds, slug)),
  );
  await saveRows(db, RelationshipEntity, relationshipRows(rows, definition, workflowIds));
  await storeWebhooks(db, rows, definition);
  await saveRows(db, ChannelEntity, channelRows(rows, definition));
}

/** The lists that are not empty. */
function filled(lists: Readonly<Record<string, readonly unknown[]>>): FurtherSettings {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** A new webhook only receives events from now on. */
async function storeWebhooks(
  db: EntityManager,
  rows: WorkspaceRows,
  definition: WorkspaceDefinition,
): Promise<void> {
  await saveRows(db, WebhookEntity, webhookRows(rows, definition));
  const known = new Set(rows.webhooks.map(({ id }) => id));
  const added = definition.webhooks.map(({ id }) => id).filter((id) => !known.has(id));
  if (added.length > 0) await beginWebhooks(db, rows.workspace.id, added);
}

function webhookRows(
  { workspace, webhooks }: WorkspaceRows,
  definition: WorkspaceDefinition,
): Reconciled<WebhookEntity>[] {
  return reconcile<WebhookEntity, WebhookDefinition>({
    existing: webhooks,
    elements: definition.webhooks,
    nameOfRow: ({ id }) => id,
    nameOf: ({ id }) => id,
    rowOf: (element, position) => ({
      workspaceId: workspace.id,
      managedBy: 'definition' as const,
      position,
      ...webhookColumns(element),
    }),
  });
}

function channelRows(
  { workspace, channels }: WorkspaceRows,
  definition: WorkspaceDefinition,
): Reconciled<ChannelEntity>[] {
  return reconcile<ChannelEntity, ChannelDefinition>({
    existing: channels,
    elements: definition.channels,
    nameOfRow: ({ id }) => id,
    nameOf: ({ id }) => id,
    rowOf: (element, position) => ({ workspaceId: workspace.id, position, ...element }),
  });
}

function isStored(stored: WorkspaceDefinition | undefined, workflow: WorkflowDefinition): boolean {
  const known = stored?.workflows.find(({ id }) => id === workflow.id);
  return JSON.stringify(known) === JSON.stringify(workflow);
}

function userRows(
  { workspace, users }: WorkspaceRows,
  definition: WorkspaceDefinition,
): Reconciled<UserEntity>[] {
  return reconcile<UserEntity, WorkspaceDefinition['users'][number]>({
    existing: users,
    elements: definition.users,
    nameOfRow: ({ email }) => email.toLowerCase(),
    nameOf: ({ email }) => email.toLowerCase(),
    formerNameOf: ({ was }) => was?.toLowerCase(),
    rowOf: ({ email, first_name, last_name, active, away = null }, position, user) => ({
      workspaceId: workspace.id,
      id: user?.id ?? randomId('u'),
      email,
      firstName: first_name,
      lastName: last_name,
      active,
      away,
      position,
    }),
  });
}

function workflowRows(rows: WorkspaceRows, definition: WorkspaceDefinition): Reconciled<WorkflowEntity>[] {
  return reconcile<WorkflowEntity, WorkspaceDefinition['workflows'][number]>({
    existing: rows.workflows,
    elements: definition.workflows,
    nameOfRow: ({ slug }) => slug,
    nameOf: ({ id }) => id,
    rowOf: ({ id, name, search = false, rules, clocks, schedules }, position, workflow) => ({
      workspaceId: rows.workspace.id,
      ...(workflow && { id: workflow.id }),
      slug: id,
      name,
      search,
      settings: filled({ rules, clocks, schedules }),
      position,
    }),
  });
}

function relationshipRows(
  { workspace, relationships }: WorkspaceRows,
  definition: WorkspaceDefinition,
  workflowIds: ReadonlyMap<string | undefined, number | undefined>,
): Reconciled<RelationshipEntity>[] {
  return reconcile<RelationshipEntity, WorkspaceDefinition['relationships'][number]>({
    existing: relationships,
    elements: definition.relationships,
    nameOfRow: ({ id }) => id,
    nameOf: ({ id }) => id,
    rowOf: ({ id, kind, from, to }, position) => ({
      workspaceId: workspace.id,
      id,
      kind,
      fromWorkflowId: known(workflowIds, from.workflow),
      fromName: from.name,
      fromChange: from.change ?? 'freely',
      toWorkflowId: known(workflowIds, to.workflow),
      toName: to.name,
      toChange: to.change ?? 'freely',
      position,
    }),
  });
}

/** The value of a key that the check has proved to exist. */
function known<Key, Value>(map: ReadonlyMap<Key, Value | undefined>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error('a definition that was not checked cannot be stored');
  return value;
}

/** Saves new and changed rows and returns all of them, with the keys that the database assigned. */
async function saveRows<Row extends ObjectLiteral>(
  db: EntityManager,
  table: EntityTarget<Row>,
  rows: readonly Reconciled<Row>[],
): Promise<Partial<Row>[]> {
  const wanted = rows.filter(({ isKnown }) => !isKnown).map(({ row }) => row as DeepPartial<Row>);
  // `save` sets the key on the row itself.
  await db.save(table, wanted);
  return rows.map(({ row }) => row);
}

/** The workflow to which rows belong. */
export interface DefinitionPlace {
  readonly workspaceId: number;
  readonly workflowId: number;
}

type Ids<Id> = ReadonlyMap<string | undefined, Id | undefined>;

/** Updates the rows of one workflow to match its definition. */
async function storeWorkflow(
  db: EntityManager,
  place: DefinitionPlace,
  rows: WorkspaceRows,
  workflow: WorkflowDefinition,
  userIds: Ids<string>,
): Promise<void> {
  const own = <Row extends DefinitionPlace>(all: readonly Row[]): Row[] =>
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
  const rules = workflow.rules.map(({ id }) => id);
  await setRules(db, place.workspaceId, place.workflowId, rules);
}

function stageRows(
  place: DefinitionPlace,
  existing: StageEntity[],
  elements: StageDefinition[],
): Reconciled<StageEntity>[] {
  return reconcile<StageEntity, StageDefinition>({
    existing,
    elements,
    nameOfRow: ({ name }) => name,
    nameOf: ({ name }) => name,
    formerNameOf: ({ was }) => was,
    rowOf: ({ name, was: _was, initial, end, outcome = 'done', enter, ...settings }, position, stage) => ({
      ...place,
      ...(stage && { id: stage.id }),
      name,
      isInitial: initial,
      isEnd: end,
      outcome,
      enter,
      settings,
      position,
    }),
  });
}

function fieldRows(
  place: DefinitionPlace,
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
  place: DefinitionPlace,
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

function actionRows(place: DefinitionPlace, actions: ActionDefinition[]): Partial<ActionEntity>[] {
  return actions.map(({ id, was: _was, name, stages, requirements, steps, ...settings }, position) => {
    const columns = { id, name, stages, requirements, steps };
    return { ...place, ...columns, settings, position };
  });
}

function roleRows(place: DefinitionPlace, roles: RoleDefinition[]): Partial<RoleEntity>[] {
  return roles.map((role, position) => {
    const { id, name, admin: isAdmin, actions, sees, edits, creates, moves, deletes, ...settings } = role;
    const columns = { id, name, isAdmin, actions, sees, edits, creates, moves, deletes };
    return { ...place, ...columns, settings, position };
  });
}

function memberRows(
  place: DefinitionPlace,
  members: MemberDefinition[],
  userIds: Ids<string>,
): Partial<MemberEntity>[] {
  return members.map((member, position) => {
    const [roleId = '', ...furtherRoleIds] = rolesNamed(member);
    const userId = known(userIds, member.email.toLowerCase());
    return { ...place, userId, roleId, furtherRoleIds, position };
  });
}
