import { type User, type Users } from '../../schema/field-type.js';
import {
  type FieldDefinition,
  type RelationshipDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
} from '../definition.js';

/** A definition with its names looked up, for checks. */
export interface WorkspaceScope {
  readonly definition: WorkspaceDefinition;
  readonly users: Users;
  readonly workflows: ReadonlyMap<string, WorkflowScope>;
  readonly relationships: ReadonlyMap<string, RelationshipDefinition>;
}

export interface WorkflowScope {
  readonly workspace: WorkspaceScope;
  readonly workflow: WorkflowDefinition;
  readonly stages: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, FieldDefinition>;
}

/** Looks up every name of a definition once. */
export function scopeOf(definition: WorkspaceDefinition): WorkspaceScope {
  const workflows = new Map<string, WorkflowScope>();
  const workspace: WorkspaceScope = {
    definition,
    users: usersOf(definition),
    workflows,
    relationships: new Map(definition.relationships.map((relationship) => [relationship.id, relationship])),
  };
  for (const workflow of definition.workflows) workflows.set(workflow.id, workflowScope(workspace, workflow));
  return workspace;
}

/** The scope of one workflow, also of a second one that has the id of another. */
export function workflowScope(workspace: WorkspaceScope, workflow: WorkflowDefinition): WorkflowScope {
  return {
    workspace,
    workflow,
    stages: new Set(workflow.stages.map(({ name }) => name)),
    fields: new Map(workflow.fields.map((field) => [field.name, field])),
  };
}

function usersOf({ users }: WorkspaceDefinition): Users {
  const known = new Map<string, User>();
  for (const { email, active } of users) known.set(email.toLowerCase(), { id: email, email, active });
  return {
    ranked: [...known.values()].map(({ id }) => id),
    find: (email) => known.get(email.toLowerCase()),
    get: (id) => known.get(id.toLowerCase()),
  };
}
