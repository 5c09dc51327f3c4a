import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { emailOf, idOf, itemKey, nameOf } from './identities.js';

/** What of a stored definition (its elements renamed already) the file names; users all stay, unnamed ones inactive. */
export function pruned(stored: WorkspaceDefinition, file: WorkspaceDefinition): WorkspaceDefinition {
  const workflows = new Map(file.workflows.map((workflow) => [workflow.id, workflow]));
  const users = new Set(file.users.map(emailOf));
  return {
    ...stored,
    users: stored.users.map((user) => ({ ...user, active: user.active && users.has(emailOf(user)) })),
    workflows: stored.workflows.flatMap((workflow) => {
      const named = workflows.get(workflow.id);
      return named ? [prunedWorkflow(workflow, named)] : [];
    }),
    relationships: shared(stored.relationships, file.relationships, idOf),
  };
}

function prunedWorkflow(stored: WorkflowDefinition, file: WorkflowDefinition): WorkflowDefinition {
  return {
    ...stored,
    stages: shared(stored.stages, file.stages, nameOf),
    fields: shared(stored.fields, file.fields, nameOf),
    checklist: shared(stored.checklist, file.checklist, itemKey),
    roles: shared(stored.roles, file.roles, idOf),
    members: shared(stored.members, file.members, emailOf),
    actions: shared(stored.actions, file.actions, idOf),
  };
}

function shared<T>(stored: readonly T[], file: readonly T[], identify: (element: T) => string): T[] {
  const named = new Set(file.map(identify));
  return stored.filter((element) => named.has(identify(element)));
}
