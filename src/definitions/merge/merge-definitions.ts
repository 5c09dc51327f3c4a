import {
  type UserDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
} from '../../workspace/definition.js';
import { emailOf, idOf, itemKey, nameOfElement } from './identities.js';
import { takePlace } from '../../workspace/definition-reader.js';
import {
  renameStored,
  type DefinitionRenames,
  findRenames,
  noRenames,
  type WorkflowRenames,
} from './renames.js';

/**
 * The whole definition after a file is applied to the stored one. Elements that the file names are taken from the file.
 * Others are kept, or removed if the file is to prune; pruned users are deactivated. An element has `was` only if it
 * renames a stored one. Look for `was` before the name, because another element may take the former name.
 */
export function mergeDefinitions(
  stored: WorkspaceDefinition | undefined,
  file: WorkspaceDefinition,
  { isPruning = false } = {},
): WorkspaceDefinition {
  const former = stored ?? emptyWorkspace(file);
  const renames = findRenames(former, file);
  // A copy, so that its objects do not count as parts of a file.
  const renamed = renameStored(structuredClone(former), renames);
  const kept = isPruning ? pruned(renamed, file) : renamed;
  const workflows = new Map(kept.workflows.map((workflow) => [workflow.id, workflow]));
  const formerUsers = formerNames(renames.users);
  const absences = new Map(kept.users.map((user) => [emailOf(user), user.away]));
  return takePlace(file, {
    workspace: mergeWorkspace(former, file),
    users: mergeList(
      kept.users,
      file.users.map((user) =>
        withAbsence(marked(user, formerUsers.get(user.email)), absences.get(emailOf(user))),
      ),
      emailOf,
    ),
    workflows: mergeList(
      kept.workflows,
      file.workflows.map((workflow) =>
        withSearch(
          mergeWorkflow(workflows.get(workflow.id), workflow, renames),
          isPruning ? undefined : workflows.get(workflow.id),
        ),
      ),
      idOf,
    ),
    relationships: mergeList(kept.relationships, file.relationships, idOf),
    webhooks: mergeList(kept.webhooks, file.webhooks, idOf),
    channels: mergeList(kept.channels, file.channels, idOf),
    calendars: mergeList(kept.calendars, file.calendars, idOf),
    views: mergeList(kept.views, file.views, idOf),
    ...mergeNotifications(kept, file),
  });
}

/** Keeps the search of a stored workflow, unless the file says something about it; false is stored as absent. */
function withSearch(
  workflow: WorkflowDefinition,
  stored: WorkflowDefinition | undefined,
): WorkflowDefinition {
  const { search = stored?.search, ...rest } = workflow;
  return takePlace(workflow, { ...rest, ...(search && { search }) });
}

/** Keeps the absence that a user has set, unless the file says something about it. */
function withAbsence(user: UserDefinition, stored: UserDefinition['away']): UserDefinition {
  const { away = stored, ...rest } = user;
  return takePlace(user, { ...rest, ...(away && { away }) });
}

function emptyWorkspace({ workspace: { id } }: WorkspaceDefinition): WorkspaceDefinition {
  return {
    workspace: { id },
    users: [],
    workflows: [],
    relationships: [],
    webhooks: [],
    channels: [],
    calendars: [],
    views: [],
  };
}

function mergeWorkspace(
  { workspace: former }: WorkspaceDefinition,
  { workspace }: WorkspaceDefinition,
): WorkspaceDefinition['workspace'] {
  const { id, name = former.name, timezone = former.timezone } = workspace;
  return takePlace(workspace, {
    id,
    ...(name !== undefined && { name }),
    ...(timezone !== undefined && { timezone }),
  });
}

/** Merges the notifications by their reason. */
function mergeNotifications(
  kept: WorkspaceDefinition,
  file: WorkspaceDefinition,
): Pick<WorkspaceDefinition, 'notifications'> {
  if (!file.notifications) return kept.notifications ? { notifications: kept.notifications } : {};
  return {
    notifications: takePlace(file.notifications, { ...kept.notifications, ...file.notifications }),
  };
}

function mergeWorkflow(
  stored: WorkflowDefinition | undefined,
  file: WorkflowDefinition,
  renames: DefinitionRenames,
): WorkflowDefinition {
  const marks = markedLists(file, renames.workflows.get(file.id) ?? noRenames);
  const removed = new Set((file.removed_stages ?? []).map(nameOfElement));
  if (!stored) return takePlace(file, { ...file, ...marks });
  return takePlace(file, {
    ...file,
    stages: mergeList(
      stored.stages.filter(({ name }) => !removed.has(name)),
      marks.stages,
      nameOfElement,
    ),
    fields: mergeList(stored.fields, marks.fields, nameOfElement),
    checklist: mergeList(
      stored.checklist.filter(({ stage }) => !removed.has(stage)),
      marks.checklist,
      itemKey,
    ),
    roles: mergeList(stored.roles, file.roles, idOf),
    members: mergeList(stored.members, file.members, emailOf),
    actions: mergeList(stored.actions, marks.actions, idOf),
    rules: mergeList(stored.rules, file.rules, idOf),
    clocks: mergeList(stored.clocks, file.clocks, idOf),
    schedules: mergeList(stored.schedules, file.schedules, idOf),
  });
}

function markedLists(
  { stages, fields, checklist, actions }: WorkflowDefinition,
  renames: WorkflowRenames,
): Pick<WorkflowDefinition, 'stages' | 'fields' | 'checklist' | 'actions'> {
  const [ofStages, ofFields] = [formerNames(renames.stages), formerNames(renames.fields)];
  const ofActions = formerNames(renames.actions);
  return {
    actions: actions.map((action) => marked(action, ofActions.get(action.id))),
    stages: stages.map((stage) => marked(stage, ofStages.get(stage.name))),
    fields: fields.map((field) => marked(field, ofFields.get(field.name))),
    checklist: checklist.map((item) => marked(item, formerTitle(item, renames))),
  };
}

/** The former names by the new ones. */
function formerNames(renames: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(renames, ([was, now]) => [now, was]));
}

// Titles repeat in different stages, so the former title identifies an item only together with the stage.
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

/**
 * Merges two lists by identity; elements of the file replace stored ones. The order is the file's if it names every
 * stored element. Otherwise it is the stored order, and each new element goes right after its predecessor in the file,
 * else right before its successor, else at the end.
 */
export function mergeList<T>(
  stored: readonly T[],
  file: readonly T[],
  identify: (element: T) => string,
): T[] {
  const named = new Map(file.toReversed().map((element) => [identify(element), element]));
  if (stored.every((element) => named.has(identify(element)))) return [...file];
  const known = new Set(stored.map(identify));
  // The new elements, by the known one that precedes them in the file.
  const added = new Map<string | undefined, T[]>();
  let last: string | undefined;
  for (const element of file) {
    const id = identify(element);
    if (known.has(id) && named.get(id) === element) last = id;
    else if (added.get(last)?.push(element) === undefined) added.set(last, [element]);
  }
  const first = stored.map(identify).find((id) => named.has(id));
  const leading = added.get(undefined) ?? [];
  const merged = stored.flatMap((element) => {
    const id = identify(element);
    return [...(id === first ? leading : []), named.get(id) ?? element, ...(added.get(id) ?? [])];
  });
  return first === undefined ? [...merged, ...leading] : merged;
}

/** The part of a renamed stored definition that the file names. Unnamed users are kept, but become inactive. */
function pruned(stored: WorkspaceDefinition, file: WorkspaceDefinition): WorkspaceDefinition {
  const workflows = new Map(file.workflows.map((workflow) => [workflow.id, workflow]));
  const users = new Set(file.users.map(emailOf));
  const { notifications: _, ...lists } = stored;
  return {
    ...lists,
    users: stored.users.map((user) => ({ ...user, active: user.active && users.has(emailOf(user)) })),
    workflows: stored.workflows.flatMap((workflow) => {
      const named = workflows.get(workflow.id);
      return named ? [prunedWorkflow(workflow, named)] : [];
    }),
    relationships: shared(stored.relationships, file.relationships, idOf),
    webhooks: shared(stored.webhooks, file.webhooks, idOf),
    channels: shared(stored.channels, file.channels, idOf),
    calendars: shared(stored.calendars, file.calendars, idOf),
    views: shared(stored.views, file.views, idOf),
  };
}

function prunedWorkflow(stored: WorkflowDefinition, file: WorkflowDefinition): WorkflowDefinition {
  return {
    ...stored,
    stages: shared(stored.stages, file.stages, nameOfElement),
    fields: shared(stored.fields, file.fields, nameOfElement),
    checklist: shared(stored.checklist, file.checklist, itemKey),
    roles: shared(stored.roles, file.roles, idOf),
    members: shared(stored.members, file.members, emailOf),
    actions: shared(stored.actions, file.actions, idOf),
    rules: shared(stored.rules, file.rules, idOf),
    clocks: shared(stored.clocks, file.clocks, idOf),
    schedules: shared(stored.schedules, file.schedules, idOf),
  };
}

function shared<T>(stored: readonly T[], file: readonly T[], identify: (element: T) => string): T[] {
  const named = new Set(file.map(identify));
  return stored.filter((element) => named.has(identify(element)));
}
