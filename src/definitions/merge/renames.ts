import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workspace/definition.js';
import { type NamedKind } from '../../workspace/marks.js';
import { partsOfWorkflow, partsOfWorkspace } from '../../workspace/names.js';
import { type NameNow, renameNames } from '../../workspace/rename-names.js';
import { definitionSchema } from '../source/definition-schema.js';
import { emailOf, idOf, itemKey, nameOfElement } from './identities.js';

/** New names by former ones. */
export type Renames = ReadonlyMap<string, string>;

/** The effective renames of a file's `was:`. */
export interface DefinitionRenames {
  /** For names of the workspace: from a former e-mail, in lower case, to the new one. */
  readonly names: ReadonlyMap<NamedKind, Renames>;
  readonly workflows: ReadonlyMap<string, WorkflowRenames>;
}

export interface WorkflowRenames {
  readonly names: ReadonlyMap<NamedKind, Renames>;
  /** From the key of a checklist item, with the new name of its stage, to the new title. */
  readonly items: Renames;
}

const none: Renames = new Map();

export const noRenames: WorkflowRenames = { names: new Map(), items: none };

/** The renames of one kind of name, in the workspace or in a workflow. */
export const renamesOf = (within: Pick<WorkflowRenames, 'names'> | undefined, to: NamedKind): Renames =>
  within?.names.get(to) ?? none;

/** Finds the `was:` of a file that have something to rename. */
export function findRenames(stored: WorkspaceDefinition, file: WorkspaceDefinition): DefinitionRenames {
  const users = file.users.map((user) => ({
    was: user.was?.toLowerCase(),
    id: emailOf(user),
    now: user.email,
  }));
  const workflows = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  return {
    names: new Map([['user', effective(stored.users.map(emailOf), users)]]),
    workflows: new Map(
      file.workflows.map((workflow) => [workflow.id, workflowRenames(workflows.get(workflow.id), workflow)]),
    ),
  };
}

function workflowRenames(stored: WorkflowDefinition | undefined, file: WorkflowDefinition): WorkflowRenames {
  if (!stored) return noRenames;
  const stages = effective(stored.stages.map(nameOfElement), file.stages.map(toNamed));
  const fields = effective(stored.fields.map(nameOfElement), file.fields.map(toNamed));
  const actions = effective(
    stored.actions.map(idOf),
    file.actions.map(({ was, id }) => ({ was, id, now: id })),
  );
  const items = stored.checklist.map(({ title, stage }) =>
    itemKey({ title, stage: stages.get(stage) ?? stage }),
  );
  const wanted = file.checklist.map(({ title, was, stage }) => ({
    was: was === undefined ? undefined : itemKey({ title: was, stage }),
    id: itemKey({ title, stage }),
    now: title,
  }));
  return {
    names: new Map([
      ['stage', stages],
      ['field', fields],
      ['action', actions],
    ]),
    items: effective(items, wanted),
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
 * A rename takes effect if the former name is stored and the new name is free, or becomes free by another rename that
 * takes effect. Applying the same file twice therefore renames nothing the second time.
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

/** A copy of a stored definition after its renames; its objects do not count as parts of a file. */
export function renameStored(stored: WorkspaceDefinition, renames: DefinitionRenames): WorkspaceDefinition {
  const copy = structuredClone(stored);
  if (isEmpty(renames)) return copy;
  const nameNow: NameNow = (to, name, workflows) =>
    renamesOf(renames, to).get(name.toLowerCase()) ??
    workflows.flatMap((id) => renamesOf(renames.workflows.get(id), to).get(name) ?? [])[0] ??
    name;
  for (const part of partsOfWorkspace(definitionSchema, copy)) renameNames(part, nameNow);
  for (const workflow of copy.workflows) {
    for (const part of partsOfWorkflow(definitionSchema, workflow, copy)) renameNames(part, nameNow);
    const items = renames.workflows.get(workflow.id)?.items ?? none;
    for (const item of workflow.checklist) item.title = items.get(itemKey(item)) ?? item.title;
  }
  return copy;
}

function isEmpty({ names, workflows }: DefinitionRenames): boolean {
  const all = [...workflows.values()].flatMap((workflow) => [...workflow.names.values(), workflow.items]);
  return [...names.values(), ...all].every(({ size }) => size === 0);
}
