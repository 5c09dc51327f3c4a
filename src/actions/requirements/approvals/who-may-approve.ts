import { roleIdsOf } from '../../../workflows/model/roles.js';
import { type Message, say } from '../../../common/message.js';
import { type User, type Users } from '../../../workflows/fields/field-type.js';
import { type TaskView } from '../../../workflows/fields/task-view.js';
import { sees } from '../../../workflows/model/allowed.js';
import { type Workflow } from '../../../workflows/model/workspace.js';
import { type ApprovalGroup, coversSide } from './approval-group.js';
import { type LoadedApprovals } from './approvals.repository.js';

export interface ApprovalFacts {
  readonly workflow: Workflow;
  readonly task: TaskView;
  readonly actionId: string;
  readonly loaded: LoadedApprovals;
  /** The performer, if the action is about to run. */
  readonly performerId: string | undefined;
  /** YYYY-MM-DD, in the time zone of the workspace. */
  readonly today: string;
}

/** The ids of the users who may approve for a group, in the order of their e-mails. */
export function eligibleFor(group: ApprovalGroup, facts: ApprovalFacts): ReadonlySet<string> {
  const { users } = facts.workflow.schema;
  const named = namedBy(group, facts);
  return new Set(users.ranked.filter((id) => named.has(id) && whyNot(group, facts, id, named) === undefined));
}

/** Why a user may not approve for a group in person; undefined if the user may. */
export function whyNot(
  group: ApprovalGroup,
  facts: ApprovalFacts,
  userId: string,
  named = namedBy(group, facts),
): Message | undefined {
  if (!named.has(userId)) return say`Only ${group.id} may decide this.`;
  return whyKeptOut(group, facts, userId);
}

/** The people named by roles, users and the field of a group, before exclusions. */
function namedBy(
  { roles, userIds, fieldId }: ApprovalGroup,
  { workflow: { members }, task }: ApprovalFacts,
): ReadonlySet<string> {
  const held = members
    .filter((member) => roleIdsOf(member).some((role) => roles.includes(role)))
    .map(({ userId }) => userId);
  const value = fieldId === undefined ? undefined : task.fieldValues[fieldId];
  return new Set([...held, ...userIds, ...(typeof value === 'string' ? [value] : [])]);
}

/** Why a user may decide neither in person nor as a deputy; undefined if they may. */
export function whyKeptOut(group: ApprovalGroup, facts: ApprovalFacts, userId: string): Message | undefined {
  const { workflow, task, loaded, performerId, actionId } = facts;
  const { not, notFields } = group;
  if (!workflow.schema.users.get(userId)?.active) return 'Only active users may decide this.';
  if (!sees(workflow.permissions.permissionsOf(userId, workflow.id), userId, task))
    return 'Only users who see the task may decide this.';
  if (not.has('creator') && loaded.creators.has(userId))
    return 'The creator of the task may not decide this.';
  if (not.has('performer') && userId === performerId)
    return 'The performer of the action may not decide this.';
  if (not.has('editors') && hasEdited(group, loaded, actionId, userId))
    return 'Nobody who changed what this covers may decide it.';
  const [, field] = [...notFields].find(([fieldId]) => task.fieldValues[fieldId] === userId) ?? [];
  return field === undefined ? undefined : say`The user in ${field} may not decide this.`;
}

/** Whether a user has changed something that the group covers since the action last succeeded. */
function hasEdited(
  group: ApprovalGroup,
  { edits, rounds }: LoadedApprovals,
  actionId: string,
  userId: string,
): boolean {
  const since = rounds.get(actionId) ?? 0;
  return edits.some((edit) => edit.userId === userId && edit.at > since && coversPart(group, edit.part));
}

function coversPart(group: ApprovalGroup, part: string): boolean {
  if (part === '+' || part === '~') return false;
  if (/^[<>][^/]*$/.test(part)) return coversSide(group, part);
  const [side = '', far] = part.split('/');
  if (far !== undefined && group.covers.includes(side)) return !/^[@~<>]/.test(far);
  return group.covers.includes(part) || (far === undefined && part !== '@' && group.covers.includes('*'));
}

/** `forId` is null if users approve for themselves, or else the id of the absent user. `why` refuses the approval. */
export function standsFor(
  group: ApprovalGroup,
  facts: ApprovalFacts,
  user: User,
): { readonly forId: string | null } | { readonly why: Message } {
  const why = whyNot(group, facts, user.id);
  if (why === undefined) return { forId: null };
  if (whyKeptOut(group, facts, user.id) !== undefined) return { why };
  const { users } = facts.workflow.schema;
  const taken = new Set(authoritiesUsed(group, facts, user.id));
  const away = [...eligibleFor(group, facts)].find(
    (id) => !taken.has(id) && deputyOf(id, users, facts.today)?.id === user.id,
  );
  return away === undefined ? { why } : { forId: away };
}

/** The people for whom others have already decided; a deputy may not replace such a decision. */
function authoritiesUsed(
  group: ApprovalGroup,
  { loaded, actionId }: ApprovalFacts,
  userId: string,
): readonly string[] {
  return loaded.decisions
    .filter((one) => one.actionId === actionId && one.groupId === group.id)
    .filter(({ state, byId }) => state === 'live' && byId !== userId)
    .map(({ byId, forId }) => forId ?? byId);
}

export function decidersOf(group: ApprovalGroup, facts: ApprovalFacts): ReadonlySet<string> {
  const { users } = facts.workflow.schema;
  const eligible = [...eligibleFor(group, facts)];
  const deputies = eligible.flatMap((id) => deputyOf(id, users, facts.today)?.id ?? []);
  return new Set([...eligible, ...deputies.filter((id) => whyKeptOut(group, facts, id) === undefined)]);
}

/** The active user who decides for a user who is away on this day; undefined if there is none. */
export function deputyOf(userId: string, users: Users, today: string): User | undefined {
  const away = users.get(userId)?.away;
  if (away == null || today < away.from || today >= away.until) return undefined;
  const deputy = users.find(away.to);
  return deputy?.active && deputy.id !== userId ? deputy : undefined;
}
