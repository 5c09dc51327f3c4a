import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { emailOf, idOf, itemKey, nameOf } from './identities.js';
import { mergeList } from './merge-list.js';
import { takePlace } from './place.js';
import { pruned } from './prune.js';
import { renameStored } from './rename-stored.js';
import { type DefinitionRenames, findRenames, noRenames, type WorkflowRenames } from './renames.js';

/**
 * The whole definition after a file was applied to the stored one: elements that the file names are the file's, all
 * others stay, or go where the file is to prune (users then stay, but inactive). An element has `was` only where it
 * renames a stored one (which may then be called like another: look for `was` before the name).
 */
export function mergeDefinitions(
  stored: WorkspaceDefinition | undefined,
  file: WorkspaceDefinition,
  { isPruning = false } = {},
): WorkspaceDefinition {
  const former = stored ?? {
    workspace: { id: file.workspace.id },
    users: [],
    workflows: [],
    relationships: [],
  };
  const renames = findRenames(former, file);
  // A copy, as it must not be taken for something that stands in a file.
  const renamed = renameStored(structuredClone(former), renames);
  const kept = isPruning ? pruned(renamed, file) : renamed;
  const workflows = new Map(kept.workflows.map((workflow) => [workflow.id, workflow]));
  const { name = former.workspace.name, timezone = former.workspace.timezone } = file.workspace;
  return takePlace(file, {
    workspace: takePlace(file.workspace, {
      id: file.workspace.id,
      ...(name !== undefined && { name }),
      ...(timezone !== undefined && { timezone }),
    }),
    users: mergeList(
      kept.users,
      file.users.map((user) => marked(user, formerName(renames.users, user.email))),
      emailOf,
    ),
    workflows: mergeList(
      kept.workflows,
      file.workflows.map((workflow) => mergeWorkflow(workflows.get(workflow.id), workflow, renames)),
      idOf,
    ),
    relationships: mergeList(kept.relationships, file.relationships, idOf),
  });
}

function mergeWorkflow(
  stored: WorkflowDefinition | undefined,
  file: WorkflowDefinition,
  renames: DefinitionRenames,
): WorkflowDefinition {
  const marks = markedLists(file, renames.workflows.get(file.id) ?? noRenames);
  const removed = new Set((file.removed_stages ?? []).map(nameOf));
  if (!stored) return takePlace(file, { ...file, ...marks });
  return takePlace(file, {
    ...file,
    stages: mergeList(
      stored.stages.filter(({ name }) => !removed.has(name)),
      marks.stages,
      nameOf,
    ),
    fields: mergeList(stored.fields, marks.fields, nameOf),
    checklist: mergeList(
      stored.checklist.filter(({ stage }) => !removed.has(stage)),
      marks.checklist,
      itemKey,
    ),
    roles: mergeList(stored.roles, file.roles, idOf),
    members: mergeList(stored.members, file.members, emailOf),
    actions: mergeList(stored.actions, file.actions, idOf),
  });
}

function markedLists(
  { stages, fields, checklist }: WorkflowDefinition,
  renames: WorkflowRenames,
): Pick<WorkflowDefinition, 'stages' | 'fields' | 'checklist'> {
  return {
    stages: stages.map((stage) => marked(stage, formerName(renames.stages, stage.name))),
    fields: fields.map((field) => marked(field, formerName(renames.fields, field.name))),
    checklist: checklist.map((item) => marked(item, formerTitle(item, renames))),
  };
}

function formerName(renames: ReadonlyMap<string, string>, name: string): string | undefined {
  return Array.from(renames).find(([, now]) => now === name)?.[0];
}

// Titles repeat from stage to stage, so the former one counts only together with the stage.
function formerTitle(
  item: WorkflowDefinition['checklist'][number],
  { items }: WorkflowRenames,
): string | undefined {
  const { was, stage, title } = item;
  return was !== undefined && items.get(itemKey({ title: was, stage })) === title ? was : undefined;
}

function marked<T extends { was?: string }>(element: T, was: string | undefined): T {
  const made = { ...element };
  if (was === undefined) delete made.was;
  else made.was = was;
  return takePlace(element, made);
}
