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
  renamesOf,
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
  const renamed = renameStored(former, renames);
  // A file that prunes names everything that stays; the order is its own.
  const kept = isPruning ? emptyWorkspace(file) : renamed;
  const workflows = new Map(kept.workflows.map((workflow) => [workflow.id, workflow]));
  const formerUsers = formerNames(renamesOf(renames, 'user'));
  const named = new Set(file.users.map(emailOf));
  const absences = new Map(renamed.users.map((user) => [emailOf(user), user.away]));
  return takePlace(file, {
    workspace: mergeWorkspace(former, file),
    users: mergeList(
      renamed.users.map((user) => ({
        ...user,
        active: user.active && (!isPruning || named.has(emailOf(user))),
      })),
      file.users.map((user) =>
        withAbsence(marked(user, formerUsers.get(user.email)), absences.get(emailOf(user))),
      ),
      emailOf,
    ),
    workflows: mergeList(
      kept.workflows,
      file.workflows.map((workflow) => mergeWorkflow(workflows.get(workflow.id), workflow, renames)),
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
  // The search of a stored workflow stays, unless the file says something about it; false is stored as absent.
  const { search = stored?.search, ...rest } = file;
  const own = { ...rest, ...(search && { search }), ...marks };
  if (!stored) return takePlace(file, own);
  return takePlace(file, {
    ...own,
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
  const [ofStages, ofFields, ofActions] = (['stage', 'field', 'action'] as const).map((kind) =>
    formerNames(renamesOf(renames, kind)),
  );
  return {
    stages: stages.map((stage) => marked(stage, ofStages?.get(stage.name))),
    fields: fields.map((field) => marked(field, ofFields?.get(field.name))),
    actions: actions.map((action) => marked(action, ofActions?.get(action.id))),
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
