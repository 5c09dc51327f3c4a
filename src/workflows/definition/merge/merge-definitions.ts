import { type RenamesWithin } from '../../model/changed-definition.js';
import { type UserDefinition } from '../../model/user-definition.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../model/definition.js';
import { type MemberDefinition } from '../../model/role-definition.js';
import { takePlace } from '../../model/definition-reader.js';
import { byList, type Holding, type Kind } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { kindsWithin } from '../kinds.js';
import { identityOf } from './identities.js';
import { findRenames, isRenamed, isRenaming, renameStored } from './renames.js';

/**
 * Merges a file into the stored definition. First, each `was:` in the file renames a stored element. Then
 * each element of the file replaces the stored element of the same name. Other stored elements stay; pruning
 * removes them, but only deactivates users. In the result, an element has `was` only if it renames a stored
 * element.
 */
export function mergeDefinitions(
  stored: WorkspaceDefinition | undefined,
  file: WorkspaceDefinition,
  { isPruning = false } = {},
): WorkspaceDefinition {
  const former = stored ?? emptyWorkspace(file);
  const renames = findRenames(former, file);
  const renamed = renameStored(former, renames);
  // Apart from users, pruning keeps only elements that are in the file, in the order of the file.
  const kept = isPruning ? emptyWorkspace(file) : renamed;
  const workflows = new Map(kept.workflows.map((workflow) => [workflow.id, workflow]));
  const before = { ...kept, users: isPruning ? unnamedInactive(renamed, file) : renamed.users };
  const after = {
    ...file,
    users: withAbsences(file.users, renamed.users),
    workflows: file.workflows.map((workflow) =>
      mergeWorkflow(workflows.get(workflow.id), workflow, renames.workflows.get(workflow.id)),
    ),
  };
  const notifications = file.notifications
    ? overlaid(kept.notifications, file.notifications)
    : kept.notifications;
  const merged = mergeLists('workspace', before, after, renames.workspace);
  return takePlace(file, {
    ...merged,
    workspace: overlaid(former.workspace, file.workspace),
    workflows: takePlace(merged.workflows, withSpelling(merged)),
    ...(notifications && { notifications }),
  });
}

/** Spells the e-mails of members as in `users`, because upper and lower case may differ in the file. */
function withSpelling({ users, workflows }: WorkspaceDefinition): WorkflowDefinition[] {
  const emails = new Map(users.map(({ email }) => [email.toLowerCase(), email]));
  const spelled = (member: MemberDefinition): MemberDefinition =>
    takePlace(member, { ...member, email: emails.get(member.email.toLowerCase()) ?? member.email });
  return workflows.map((workflow) =>
    takePlace(workflow, { ...workflow, members: takePlace(workflow.members, workflow.members.map(spelled)) }),
  );
}

/** The settings of the file, and those stored settings that the file does not name. */
const overlaid = <Settings extends object>(stored: Settings | undefined, file: Settings): Settings =>
  takePlace(file, { ...stored, ...file });

export const emptyWorkspace = ({ workspace: { id } }: WorkspaceDefinition): WorkspaceDefinition => ({
  workspace: { id },
  users: [],
  workflows: [],
  relationships: [],
});

function mergeLists<Holder extends object>(
  holding: Holding,
  kept: object,
  file: Holder,
  renames: RenamesWithin | undefined,
): Holder {
  const merged = (kind: Kind): object[] => {
    const elements = listIn(file, kind.list);
    const own = isRenamed(kind) ? elements.map((each) => withEffectiveWas(kind, each, renames)) : elements;
    return mergeList(listIn(kept, kind.list), own, (each) => identityOf(kind, each));
  };
  return { ...file, ...byList(kindsWithin(holding), merged) };
}

function withEffectiveWas(kind: Kind, element: object, renames: RenamesWithin | undefined): object {
  const made = { ...element };
  if (!isRenaming(kind, element, renames)) Reflect.deleteProperty(made, 'was');
  return takePlace(element, made);
}

/** The stored users. Users that the file does not name become inactive. */
function unnamedInactive({ users }: WorkspaceDefinition, file: WorkspaceDefinition): UserDefinition[] {
  const named = new Set(file.users.map(({ email }) => email.toLowerCase()));
  return users.map((user) => ({ ...user, active: user.active && named.has(user.email.toLowerCase()) }));
}

/** Keeps the stored absence of each user, unless the file sets or clears the absence. */
function withAbsences(users: readonly UserDefinition[], stored: readonly UserDefinition[]): UserDefinition[] {
  const absences = new Map(stored.map(({ email, away }) => [email.toLowerCase(), away]));
  return users.map((user) => {
    const { away = absences.get(user.email.toLowerCase()), ...rest } = user;
    return takePlace(user, { ...rest, ...(away && { away }) });
  });
}

function mergeWorkflow(
  stored: WorkflowDefinition | undefined,
  file: WorkflowDefinition,
  renames: RenamesWithin | undefined,
): WorkflowDefinition {
  // The stored `search` stays, unless the file sets `search`. The value false is stored as absent.
  const { id, name, search = stored?.search, ...rest } = file;
  const own = { id, name, ...(search && { search }), ...rest };
  return takePlace(file, mergeLists('workflow', stored ? withoutRemoved(stored, file) : {}, own, renames));
}

/** A stored workflow without the stages that the file removes, and without their checklist items. */
function withoutRemoved(stored: WorkflowDefinition, { removed_stages = [] }: WorkflowDefinition): object {
  const removed = new Set(removed_stages.map(({ name }) => name));
  return {
    ...stored,
    stages: stored.stages.filter(({ name }) => !removed.has(name)),
    checklist: stored.checklist.filter(({ stage }) => !removed.has(stage)),
  };
}

/**
 * Merges two lists by identity. Elements of the file replace stored ones. If every stored element is in the
 * file, the order of the file applies. Otherwise the stored order stays. A new element comes after the stored
 * element that precedes it in the file. If none precedes it, the new element comes before the first stored
 * element that is in the file. If the file contains no stored elements, new elements come last.
 */
export function mergeList<T>(
  stored: readonly T[],
  file: readonly T[],
  identify: (element: T) => string,
): T[] {
  const named = new Map(file.toReversed().map((element) => [identify(element), element]));
  if (stored.every((element) => named.has(identify(element)))) return [...file];
  const known = new Set(stored.map(identify));
  // The new elements, by the id of the stored element that they follow in the file. The key `undefined` holds
  // the new elements that come first.
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
