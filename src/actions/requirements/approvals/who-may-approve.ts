import { rolesNamed } from '../../../workflows/model/role-definition.js';
import { type Message, say } from '../../../common/message.js';
import { type User, type Users } from '../../../workflows/fields/field-type.js';
import { type TaskView } from '../../../workflows/fields/task-view.js';
import { sees } from '../../../workflows/model/allowed.js';
import { type Workflow } from '../../../workflows/model/workspace.js';
import { type ApprovalGroup, type ApprovalPlan, approvedActions, coversSide } from './approval-group.js';
import { type Decision, type LoadedApprovals } from './approvals.repository.js';

/** An action on a task, and the decisions on the action. */
export interface ApprovalFacts {
  readonly plan: ApprovalPlan;
  readonly workflow: Workflow;
  readonly task: TaskView;
  readonly loaded: LoadedApprovals;
  readonly decisions: readonly Decision[];
  /** The id of the performer in the context, if any. */
  readonly performerId: string | undefined;
  /** YYYY-MM-DD, in the time zone of the workspace. */
  readonly today: string;
}

/** Returns the ids of the users who may approve for a group in person, in the order of their e-mails. */
export function eligibleFor(group: ApprovalGroup, facts: ApprovalFacts): ReadonlySet<string> {
  const named = namedBy(group, facts);
  const isEligible = (id: string): boolean => named.has(id) && whyKeptOut(group, facts, id) === undefined;
  return new Set(facts.workflow.schema.users.ranked.filter(isEligible));
}

/** Returns why a user may not approve in person for a group; undefined if the user may. */
export function whyNot(group: ApprovalGroup, facts: ApprovalFacts, userId: string): Message | undefined {
  if (!namedBy(group, facts).has(userId)) return say`Only ${group.id} may decide this.`;
  return whyKeptOut(group, facts, userId);
}

/** Returns the ids of the users in the group's roles, users and person field, even if `not` excludes them. */
function namedBy(group: ApprovalGroup, { workflow, task }: ApprovalFacts): ReadonlySet<string> {
  const value = group.fieldId === undefined ? undefined : task.fieldValues[group.fieldId];
  return new Set([...namedInDefinition(group, workflow), ...(typeof value === 'string' ? [value] : [])]);
}

export function namedInDefinition(
  { roles, userIds }: ApprovalGroup,
  { members, schema }: Workflow,
): string[] {
  const held = members.filter((member) => rolesNamed(member).some((role) => roles.includes(role)));
  return [...held.flatMap(({ email }) => schema.users.find(email)?.id ?? []), ...userIds];
}

/** Returns why a user may not decide at all, not even as a deputy; undefined if the user may. */
export function whyKeptOut(group: ApprovalGroup, facts: ApprovalFacts, userId: string): Message | undefined {
  const { workflow, task, loaded, performerId } = facts;
  const { not, notFields } = group;
  if (!workflow.schema.users.get(userId)?.active) return 'Only active users may decide this.';
  if (!sees(workflow.permissions.permissionsOf(userId, workflow.id), userId, task))
    return 'Only users who see the task may decide this.';
  if (not.has('creator') && loaded.edits.some((edit) => edit.part === '+' && edit.userId === userId))
    return 'The creator of the task may not decide this.';
  if (not.has('performer') && userId === performerId)
    return 'The performer of the action may not decide this.';
  if (not.has('editors') && hasEdited(group, facts, userId))
    return 'Users who changed a value that this approval covers may not decide this.';
  const { byName } = workflow.schema;
  const field = notFields.find((name) => task.fieldValues[byName.get(name)?.fieldId ?? ''] === userId);
  return field === undefined ? undefined : say`The user in ${field} may not decide this.`;
}

/** Whether a user has changed a covered part since the action last succeeded. */
function hasEdited(group: ApprovalGroup, { loaded, plan }: ApprovalFacts, userId: string): boolean {
  const since = loaded.rounds.find(({ actionId }) => actionId === plan.action.id)?.at ?? 0;
  return loaded.edits.some(
    (edit) => edit.userId === userId && edit.at > since && coversPart(group, edit.part),
  );
}

function coversPart(group: ApprovalGroup, part: string): boolean {
  if (part === '+' || part === '~') return false;
  if (/^[<>][^/]*$/.test(part)) return coversSide(group, part);
  const [side = '', far] = part.split('/');
  if (far !== undefined && group.covers.includes(side)) return !/^[@~<>]/.test(far);
  return group.covers.includes(part) || (far === undefined && part !== '@' && group.covers.includes('*'));
}

/**
 * Checks whether a user may decide. If the user decides as the deputy of an absent user, `forId` is the id of
 * the absent user. Otherwise, `forId` is null. `why` is the reason of a refusal.
 */
export function standsFor(
  group: ApprovalGroup,
  facts: ApprovalFacts,
  user: User,
): { readonly forId: string | null } | { readonly why: Message } {
  const why = whyNot(group, facts, user.id);
  if (why === undefined) return { forId: null };
  if (whyKeptOut(group, facts, user.id) !== undefined) return { why };
  // A deputy must not replace a decision that another user has already made.
  const others = facts.decisions.filter(
    ({ groupId, state, byId }) => groupId === group.id && state === 'live' && byId !== user.id,
  );
  const away = [...eligibleFor(group, facts)].find(
    (id) =>
      deputyOf(id, facts.workflow.schema.users, facts.today)?.id === user.id &&
      !others.some(({ byId, forId }) => id === (forId ?? byId)),
  );
  return away === undefined ? { why } : { forId: away };
}

/** Returns the workflows whose definition lets the user approve but does not let the deputy see all tasks. */
export function unseenByDeputy(workflows: readonly Workflow[], userId: string, deputyId: string): Workflow[] {
  return workflows.filter((workflow) => {
    const groups = approvedActions(workflow).flatMap((plan) => plan.groups);
    const mayApprove = groups.some((group) => namedInDefinition(group, workflow).includes(userId));
    return mayApprove && workflow.permissions.permissionsOf(deputyId, workflow.id).sees !== 'all';
  });
}

/** For each of these users who is away today, returns the id of the deputy if the deputy may decide. */
export function deputiesOf(group: ApprovalGroup, facts: ApprovalFacts, userIds: Iterable<string>): string[] {
  const { users } = facts.workflow.schema;
  const deputies = [...userIds].flatMap((id) => deputyOf(id, users, facts.today)?.id ?? []);
  return deputies.filter((id) => whyKeptOut(group, facts, id) === undefined);
}

/** Returns the active user who decides for a user who is away on this day; undefined if there is none. */
export function deputyOf(userId: string, users: Users, today: string): User | undefined {
  const away = users.get(userId)?.away;
  if (away == null || today < away.from || today >= away.until) return undefined;
  const deputy = users.find(away.to);
  return deputy?.active && deputy.id !== userId ? deputy : undefined;
}
