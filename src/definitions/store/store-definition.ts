import { type EntityManager, type DeepPartial, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { ChannelEntity } from '../../workspace/entities/channel.entity.js';
import { type FurtherSettings } from '../../database/json-columns.js';
import { RelationshipEntity } from '../../workspace/entities/relationship.entity.js';
import { UserEntity } from '../../workspace/entities/user.entity.js';
import { WorkflowEntity } from '../../workspace/entities/workflow.entity.js';
import { WebhookEntity } from '../../workspace/entities/webhook.entity.js';
import { WorkspaceEntity } from '../../workspace/entities/workspace.entity.js';
import {
  type WorkflowDefinition,
  type WorkspaceDefinition,
  type ActionDefinition,
  type MemberDefinition,
  type RoleDefinition,
} from '../../workspace/definition.js';
import { rolesNamed } from '../../workspace/role-definition.js';
import { randomId } from '../../lib/random-id.js';
import { followers } from '../../features.js';
import { setFollowers } from '../../followers/followers.repository.js';
import { wantedSchedules } from '../../schedules/wanted-schedules.js';
import { setSchedules } from '../../schedules/schedule-states.repository.js';
import { setRules } from '../../rules/rule-states.repository.js';
import { beginWebhooks, webhookColumns } from '../../workspace/webhook-rows.js';
import { markChanges, markedWorkflows } from '../../approvals/marked-workflows.js';
import { idOf } from '../merge/identities.js';
import { byEmail, byId, byName, reconcile, type Reconciliation } from './reconcile.js';
import { type WorkspaceRows } from '../../workspace/workspace-rows.js';
import { ActionEntity } from '../../workspace/entities/action.entity.js';
import { ChecklistTemplateItemEntity } from '../../workspace/entities/checklist-template-item.entity.js';
import { FieldEntity } from '../../workspace/entities/field.entity.js';
import { MemberEntity } from '../../workspace/entities/member.entity.js';
import { RoleEntity } from '../../workspace/entities/role.entity.js';
import { StageEntity } from '../../workspace/entities/stage.entity.js';

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
  const { workspace } = rows;
  const users = await save(db, UserEntity, {
    existing: rows.users,
    elements: definition.users,
    ...byEmail,
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
  const workflows = await save(db, WorkflowEntity, {
    existing: rows.workflows,
    elements: definition.workflows,
    nameOfRow: ({ slug }) => slug,
    nameOf: idOf,
    rowOf: ({ id, name, search = false, rules, clocks, schedules }, position, workflow) => ({
      workspaceId: workspace.id,
      ...(workflow && { id: workflow.id }),
      slug: id,
      name,
      search,
      settings: filled({ rules, clocks, schedules }),
      position,
    }),
  });
  const userIds = new Map(users.map((user) => [user.email?.toLowerCase(), user.id]));
  const workflowIds = new Map(workflows.map((workflow) => [workflow.slug, workflow.id]));
  for (const workflow of definition.workflows) {
    if (isStored(stored, workflow)) continue;
    const place = { workspaceId: workspace.id, workflowId: known(workflowIds, workflow.id) };
    await storeWorkflow(db, place, rows, workflow, userIds);
  }
  await setSchedules(db, workspace.id, wantedSchedules(definition, workflowIds));
  const wanted = followers.filter((follower) => follower.wants(definition));
  await setFollowers(
    db,
    workspace.id,
    wanted.map(({ name }) => name),
  );
  const marked = markedWorkflows(definition).map((slug) => known(workflowIds, slug));
  await markChanges(db, workspace.id, marked);
  await save(db, RelationshipEntity, {
    existing: rows.relationships,
    elements: definition.relationships,
    ...byId,
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
  await storeWebhooks(db, rows, definition);
  await save(db, ChannelEntity, {
    existing: rows.channels,
    elements: definition.channels,
    ...byId,
    rowOf: (element, position) => ({ workspaceId: workspace.id, position, ...element }),
  });
}

/** The lists that are not empty. */
function filled(lists: Readonly<Record<string, readonly unknown[]>>): FurtherSettings {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** A new webhook only receives events from now on. */
async function storeWebhooks(
  db: EntityManager,
  { workspace, webhooks }: WorkspaceRows,
  definition: WorkspaceDefinition,
): Promise<void> {
  await save(db, WebhookEntity, {
    existing: webhooks,
    elements: definition.webhooks,
    ...byId,
    rowOf: (element, position) => ({
      workspaceId: workspace.id,
      managedBy: 'definition' as const,
      position,
      ...webhookColumns(element),
    }),
  });
  const known = new Set(webhooks.map(idOf));
  const added = definition.webhooks.map(idOf).filter((id) => !known.has(id));
  if (added.length > 0) await beginWebhooks(db, workspace.id, added);
}

function isStored(stored: WorkspaceDefinition | undefined, workflow: WorkflowDefinition): boolean {
  const known = stored?.workflows.find(({ id }) => id === workflow.id);
  return JSON.stringify(known) === JSON.stringify(workflow);
}

/** The value of a key that the check has proved to exist. */
function known<Key, Value>(map: ReadonlyMap<Key, Value | undefined>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error('a definition that was not checked cannot be stored');
  return value;
}

/** Saves the new and changed rows of a list; returns all rows, with the keys that the database assigned. */
async function save<Row extends ObjectLiteral, Element>(
  db: EntityManager,
  table: EntityTarget<Row>,
  plan: Reconciliation<Row, Element>,
): Promise<Partial<Row>[]> {
  const rows = reconcile(plan);
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
  const stages = await save(db, StageEntity, {
    existing: own(rows.stages),
    elements: workflow.stages,
    ...byName,
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
  await save(db, FieldEntity, {
    existing: own(rows.fields),
    elements: workflow.fields,
    ...byName,
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
  const stageIds = new Map(stages.map(({ name, id }) => [name, id]));
  const keyOf = (stageId: number | undefined, title: string): string => JSON.stringify([stageId, title]);
  await save(db, ChecklistTemplateItemEntity, {
    existing: own(rows.checklist),
    elements: workflow.checklist,
    nameOfRow: ({ stageId, title }) => keyOf(stageId, title),
    nameOf: ({ stage, title }) => keyOf(stageIds.get(stage), title),
    formerNameOf: ({ stage, was }) => (was === undefined ? undefined : keyOf(stageIds.get(stage), was)),
    rowOf: ({ title, stage }, position, item) => ({
      ...place,
      ...(item && { id: item.id }),
      title,
      stageId: known(stageIds, stage),
      position,
    }),
  });
  await db.save(ActionEntity, actionRows(place, workflow.actions));
  await db.save(RoleEntity, roleRows(place, workflow.roles));
  await db.save(MemberEntity, memberRows(place, workflow.members, userIds));
  await setRules(db, place.workspaceId, place.workflowId, workflow.rules.map(idOf));
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
