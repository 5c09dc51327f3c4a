import { type ActionEntity } from '../../workspace/entities/action.entity.js';
import { type ChannelEntity } from '../../workspace/entities/channel.entity.js';
import { type ChecklistTemplateItemEntity } from '../../workspace/entities/checklist-template-item.entity.js';
import { type FieldEntity } from '../../workspace/entities/field.entity.js';
import { type MemberEntity } from '../../workspace/entities/member.entity.js';
import { type RelationshipEntity } from '../../workspace/entities/relationship.entity.js';
import { type RoleEntity } from '../../workspace/entities/role.entity.js';
import { type StageEntity } from '../../workspace/entities/stage.entity.js';
import { type UserEntity } from '../../workspace/entities/user.entity.js';
import { type WebhookEntity } from '../../workspace/entities/webhook.entity.js';
import { type WorkflowEntity } from '../../workspace/entities/workflow.entity.js';
import {
  type ChecklistItemDefinition,
  type UserDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
} from '../../workspace/definition.js';
import { type FieldDefinition } from '../../workspace/field-definition.js';
import { emailOf, idOf, itemKey } from '../merge/identities.js';
import { byEmail, byName, finder } from './reconcile.js';
import { type WorkspaceRows } from '../../workspace/workspace-rows.js';

/** The rows without an element in the merged definition. */
export interface Removals {
  /** Removed together with their contents. */
  readonly workflows: readonly WorkflowEntity[];
  readonly relationships: readonly RelationshipEntity[];
  readonly webhooks: readonly WebhookEntity[];
  readonly channels: readonly ChannelEntity[];
  /** For each workflow that is kept. */
  readonly within: readonly RemovalsWithin[];
}

/** The rows of one workflow without an element in its definition. */
export interface RemovalsWithin {
  readonly workflow: WorkflowEntity;
  readonly stages: readonly RemovedStage[];
  readonly fields: readonly FieldEntity[];
  readonly items: readonly ChecklistTemplateItemEntity[];
  readonly roles: readonly RoleEntity[];
  readonly members: readonly MemberEntity[];
  readonly actions: readonly ActionEntity[];
}

/** A removed stage, and the name of the stage to which its tasks move, if the file names one. */
export interface RemovedStage {
  readonly stage: StageEntity;
  readonly target: string | undefined;
}

/** Finds the elements of the stored definition that a merged one leaves out. */
export function findRemovals(rows: WorkspaceRows, merged: WorkspaceDefinition): Removals {
  const workflows = new Map(merged.workflows.map((workflow) => [workflow.id, workflow]));
  const users = userIds(rows, merged);
  const relationships = new Set(merged.relationships.map(idOf));
  return {
    workflows: rows.workflows.filter(({ slug }) => !workflows.has(slug)),
    relationships: rows.relationships.filter(({ id }) => !relationships.has(id)),
    webhooks: without(rows.webhooks, merged.webhooks),
    channels: without(rows.channels, merged.channels),
    within: rows.workflows.flatMap((workflow) => {
      const definition = workflows.get(workflow.slug);
      return definition ? [removalsWithin(workflow, definition, rows, users)] : [];
    }),
  };
}

/** Finds the known row of an element in a list whose elements have names and may be renamed. */
export function findByName<Row extends { name: string }, Element extends { name: string; was?: string }>(
  existing: readonly Row[],
  elements: readonly Element[],
): (element: Element) => Row | undefined {
  return finder<Row, Element>({ existing, elements, ...byName });
}

function removalsWithin(
  workflow: WorkflowEntity,
  definition: WorkflowDefinition,
  rows: WorkspaceRows,
  users: ReadonlyMap<string, string | undefined>,
): RemovalsWithin {
  const own = <Row extends { workflowId: number }>(all: readonly Row[]): Row[] =>
    all.filter(({ workflowId }) => workflowId === workflow.id);
  const members = new Set(definition.members.map((member) => users.get(emailOf(member))));
  return {
    workflow,
    stages: removedStages(own(rows.stages), definition),
    fields: leftOver(own(rows.fields), definition.fields, findByName<FieldEntity, FieldDefinition>),
    items: removedItems(own(rows.checklist), own(rows.stages), definition),
    roles: without(own(rows.roles), definition.roles),
    members: own(rows.members).filter(({ userId }) => !members.has(userId)),
    actions: without(own(rows.actions), definition.actions),
  };
}

/** The ids of users by their e-mails in the merged definition, in lower case. */
export function userIds(
  { users }: WorkspaceRows,
  definition: WorkspaceDefinition,
): Map<string, string | undefined> {
  const elements = definition.users;
  const find = finder<UserEntity, UserDefinition>({ existing: users, elements, ...byEmail });
  return new Map(definition.users.map((user) => [emailOf(user), find(user)?.id]));
}

function without<Row extends { id: string }>(
  rows: readonly Row[],
  elements: readonly { id: string }[],
): Row[] {
  const ids = new Set(elements.map(idOf));
  return rows.filter(({ id }) => !ids.has(id));
}

function leftOver<Row, Element>(
  rows: readonly Row[],
  elements: readonly Element[],
  find: (rows: readonly Row[], elements: readonly Element[]) => (element: Element) => Row | undefined,
): Row[] {
  const found = new Set(elements.map(find(rows, elements)));
  return rows.filter((row) => !found.has(row));
}

function removedStages(
  stages: readonly StageEntity[],
  { stages: elements, removed_stages = [], move_tasks_to }: WorkflowDefinition,
): RemovedStage[] {
  const targets = new Map(removed_stages.map(({ name, move_tasks_to }) => [name, move_tasks_to]));
  return leftOver(stages, elements, findByName).map((stage) => ({
    stage,
    target: targets.get(stage.name) ?? move_tasks_to,
  }));
}

function removedItems(
  items: readonly ChecklistTemplateItemEntity[],
  stages: readonly StageEntity[],
  { stages: elements, checklist }: WorkflowDefinition,
): ChecklistTemplateItemEntity[] {
  const find = findByName(stages, elements);
  const names = new Map(elements.map((element) => [find(element)?.id, element.name]));
  return leftOver(items, checklist, (existing, wanted) =>
    finder<ChecklistTemplateItemEntity, ChecklistItemDefinition>({
      existing,
      elements: wanted,
      nameOfRow: ({ stageId, title }) => itemKey({ stage: names.get(stageId) ?? '', title }),
      nameOf: itemKey,
      formerNameOf: ({ stage, was }) => (was === undefined ? undefined : itemKey({ stage, title: was })),
    }),
  );
}
