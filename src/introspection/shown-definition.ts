import { storedDefinition } from '../definitions/stored-definition.js';
import { type WorkspaceRows } from '../definitions/workspace-rows.js';
import { type UserEntity } from '../entities/user.entity.js';
import { notFound } from '../errors/errors.js';
import { type Workflow, type Workspace } from '../workflows/workspace.js';

/** Who works in a workflow; without a role where the workflow defines none. */
export interface Participant {
  readonly id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly role_id: string | null;
}

/** A workspace, or a workflow in a list. */
export function showNamed({ slug, name }: Workspace | Workflow): object {
  return { id: slug, name };
}

/** The whole definition of a workflow, as a file would have it, with the ids of its fields and its relationships. */
export function showWorkflow({ rows }: Workspace, workflow: Workflow): object {
  const { workflows, relationships } = storedDefinition(rows);
  return {
    ...workflows.find(({ id }) => id === workflow.slug),
    fields: showFields(rows, workflow),
    relationships: relationships.filter(({ from, to }) =>
      [from.workflow, to.workflow].includes(workflow.slug),
    ),
  };
}

/** The stages in order. */
export function showStages({ schema }: Workflow): object[] {
  return schema.stages.all.map(({ name }) => ({ name }));
}

/** The fields in order, each with what its type takes. */
export function showFields({ fields }: WorkspaceRows, workflow: Workflow): object[] {
  return fields
    .filter(({ workflowId }) => workflowId === workflow.id)
    .map(({ id, name, type, required, editable, settings }) => ({
      id,
      name,
      type,
      required,
      editable,
      ...settings,
    }));
}

/** The roles in order. */
export function showRoles({ roles }: Workflow): object[] {
  return roles.map(({ id, name, isAdmin }) => ({ id, name, admin: isAdmin }));
}

/** The active members; all active users of the workspace where no roles are defined. */
export function participants({ rows }: Workspace, { roles, members }: Workflow): Participant[] {
  const active = rows.users.filter((user) => user.active);
  if (roles.length === 0) return active.map((user) => participant(user, null));
  const users = new Map(active.map((user) => [user.id, user]));
  return members.flatMap(({ userId, roleId }) => {
    const user = users.get(userId);
    return user ? [participant(user, roleId)] : [];
  });
}

/** One of them; 404 where there is none of this id. */
export function participantOf(workspace: Workspace, workflow: Workflow, id: string): Participant {
  const user = participants(workspace, workflow).find((user) => user.id === id);
  if (!user) throw notFound();
  return user;
}

function participant({ id, email, firstName, lastName }: UserEntity, roleId: string | null): Participant {
  return { id, email, first_name: firstName, last_name: lastName, role_id: roleId };
}
