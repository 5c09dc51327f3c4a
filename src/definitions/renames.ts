import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { emailOf, itemKey, nameOf } from './identities.js';

/** What a file's `was:` renames in a stored definition, by former identity. */
export interface DefinitionRenames {
  /** From an e-mail in lower case to the new one. */
  readonly users: ReadonlyMap<string, string>;
  readonly workflows: ReadonlyMap<string, WorkflowRenames>;
}

export interface WorkflowRenames {
  readonly stages: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
  /** From the key of an item, its stage by the new name, to the new title. */
  readonly items: ReadonlyMap<string, string>;
}

export const noRenames: WorkflowRenames = { stages: new Map(), fields: new Map(), items: new Map() };

/** Finds which `was:` of a file have something to rename. */
export function findRenames(stored: WorkspaceDefinition, file: WorkspaceDefinition): DefinitionRenames {
  const users = file.users.map((user) => ({
    was: user.was?.toLowerCase(),
    id: emailOf(user),
    now: user.email,
  }));
  const workflows = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  return {
    users: effective(stored.users.map(emailOf), users),
    workflows: new Map(
      file.workflows.map((workflow) => [workflow.id, workflowRenames(workflows.get(workflow.id), workflow)]),
    ),
  };
}

function workflowRenames(stored: WorkflowDefinition | undefined, file: WorkflowDefinition): WorkflowRenames {
  if (!stored) return noRenames;
  const stages = effective(stored.stages.map(nameOf), file.stages.map(toNamed));
  const items = stored.checklist.map(({ title, stage }) =>
    itemKey({ title, stage: stages.get(stage) ?? stage }),
  );
  return {
    stages,
    fields: effective(stored.fields.map(nameOf), file.fields.map(toNamed)),
    items: effective(
      items,
      file.checklist.map(({ title, was, stage }) => ({
        was: was === undefined ? undefined : itemKey({ title: was, stage }),
        id: itemKey({ title, stage }),
        now: title,
      })),
    ),
  };
}

interface Wanted {
  readonly was: string | undefined;
  readonly id: string;
  readonly now: string;
}

function toNamed({ name, was }: { name: string; was?: string }): Wanted {
  return { was, id: name, now: name };
}

/**
 * A rename takes effect where the former name is stored and the new one is free, or made free by another rename that
 * takes effect. So a file that is applied again renames nothing.
 */
function effective(stored: readonly string[], wanted: readonly Wanted[]): Map<string, string> {
  const names = new Set(stored);
  const renames = new Map<string, string>();
  let pending = wanted;
  for (;;) {
    const ready = pending.find(({ was, id }) => was !== undefined && names.has(was) && !names.has(id));
    if (ready?.was === undefined) return renames;
    renames.set(ready.was, ready.now);
    names.delete(ready.was);
    pending = pending.filter((other) => other !== ready && other.id !== ready.id);
  }
}
