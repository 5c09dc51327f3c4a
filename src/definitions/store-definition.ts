import { type EntityManager } from 'typeorm';
import { RelationshipEntity } from '../entities/relationship.entity.js';
import { UserEntity } from '../entities/user.entity.js';
import { WorkflowEntity } from '../entities/workflow.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { known } from './known.js';
import { randomId } from './random-id.js';
import { reconcile, type Reconciled } from './reconcile.js';
import { saveRows } from './save-rows.js';
import { storeWorkflow } from './store-workflow.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** Makes the stored rows of a workspace say what a checked definition says; nothing is ever deleted. */
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
  await saveRows(db, RelationshipEntity, relationshipRows(rows, definition, workflowIds));
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
    rowOf: ({ email, first_name, last_name, active }, position, user) => ({
      workspaceId: workspace.id,
      id: user?.id ?? randomId('u'),
      email,
      firstName: first_name,
      lastName: last_name,
      active,
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
    rowOf: ({ id, name }, position, workflow) => ({
      workspaceId: rows.workspace.id,
      ...(workflow && { id: workflow.id }),
      slug: id,
      name,
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
      toWorkflowId: known(workflowIds, to.workflow),
      toName: to.name,
      position,
    }),
  });
}
