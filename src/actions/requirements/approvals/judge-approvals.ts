import { type ApprovalGroup, type ApprovalPlan, nameOfPart } from './approval-group.js';
import { type Decision, type LoadedApprovals } from './approvals.repository.js';
import { type ApprovalFacts, deputiesOf, eligibleFor, whyKeptOut, whyNot } from './who-may-approve.js';
import { todayIn } from '../../../common/calendar.js';
import { type Message, say } from '../../../common/message.js';
import { ExpressionError } from '../../../workflows/expressions/expression-error.js';
import { type TaskSchema } from '../../../workflows/fields/task-schema.js';
import { type ExpressionContext, expressionInput } from '../../action-context.js';

/** The approvals of an action on a task. */
export interface JudgedApprovals extends ApprovalFacts {
  readonly groups: readonly JudgedGroup[];
}

export interface JudgedGroup extends ApprovalGroup {
  /** `broken`: the condition cannot be evaluated, so the group is needed but cannot be complete. */
  readonly need: 'needed' | 'unneeded' | 'broken';
  /** The number of approvals that count, up to `count`. */
  readonly given: number;
  /** The number of approvals that the group can get, up to `count`. */
  readonly reachable: number;
  /** The ids of the users who may approve in person. */
  readonly eligible: ReadonlySet<string>;
  /**
   * The ids of the users who have not approved and whose approval can count: eligible users and their deputies.
   * If a deputy has approved for a user, this user is left out. Empty if the group is not needed.
   */
  readonly open: readonly string[];
  /** The ids of the users whose approval cannot count, because another group needs them. */
  readonly neededElsewhere: ReadonlySet<string>;
  readonly decisions: readonly JudgedDecision[];
  readonly isRejected: boolean;
  readonly isComplete: boolean;
}

export interface JudgedDecision extends Omit<Decision, 'state'> {
  readonly state: 'counts' | 'stale' | 'withdrawn' | 'ineligible';
  /** Why the decision does not count; undefined if it counts or was withdrawn. */
  readonly why?: Message | undefined;
}

/**
 * Judges the approvals of an action on a task. If there is a performer, `not: performer` excludes this user.
 */
export function judgeAction(
  plan: ApprovalPlan,
  context: ExpressionContext,
  loaded: LoadedApprovals,
): JudgedApprovals {
  const { scope, task, performer } = context;
  const { workflow } = scope;
  const decisions = loaded.decisions.filter(({ actionId }) => actionId === plan.action.id);
  const today = todayIn(workflow.timezone, loaded.now);
  const facts = { plan, workflow, task, loaded, decisions, performerId: performer?.id, today };
  const seen = plan.groups.map((group) => judgeGroup(group, facts, needOf(group, context)));
  // Groups whose users have all approved come first, because `placesTaken` fills the first groups first.
  const needed = seen
    .filter(({ need }) => need !== 'unneeded')
    .toSorted((a, b) => Number(hasMoreUsers(a)) - Number(hasMoreUsers(b)));
  const placesOf = (peopleOf: (group: SeenGroup) => readonly string[]): Places[] =>
    needed.map((one) => ({ id: one.id, count: one.count, people: new Set(peopleOf(one)) }));
  const taken = placesTaken(placesOf((group) => approvalsIn(group).map(({ byId }) => byId)));
  const byDeputies = placesOf((group) => {
    const deputies = new Map(approvalsIn(group).map(({ byId, forId }) => [forId, byId]));
    return [...group.eligible].map((id) => deputies.get(id) ?? id);
  });
  // If another group needs the deputy of an absent user, the absent user can decide in person.
  const inPerson = placesOf(({ eligible }) => [...eligible]);
  const possible = placed(inPerson).size > placed(byDeputies).size ? inPerson : byDeputies;
  const reached = placesTaken(possible);
  const isNeeded = neededElsewhereIn(possible);
  const groups = seen.map((one) => {
    const given = taken.get(one.id) ?? 0;
    const isMet = one.need === 'needed' && given === one.count && !one.isRejected;
    const isComplete = one.need === 'unneeded' || isMet;
    const reachable = reached.get(one.id) ?? 0;
    return { ...one, ...openIn(one, facts, isNeeded), given, reachable, isComplete };
  });
  return { ...facts, groups };
}

const approvalsIn = ({ decisions }: SeenGroup): JudgedDecision[] => decisions.filter(isApproval);

function hasMoreUsers(group: SeenGroup): boolean {
  const done = new Set(approvalsIn(group).map(({ byId }) => byId));
  return [...group.eligible].some((id) => !done.has(id));
}

function openIn(
  group: SeenGroup,
  facts: ApprovalFacts,
  isNeeded: ReturnType<typeof neededElsewhereIn>,
): Pick<JudgedGroup, 'open' | 'neededElsewhere'> {
  if (group.need === 'unneeded') return { open: [], neededElsewhere: new Set() };
  const { id, eligible } = group;
  const approvals = approvalsIn(group);
  const deputies = deputiesOf(group, facts, eligible);
  const users = [...eligible, ...deputies, ...approvals.map(({ byId }) => byId)];
  const neededElsewhere = new Set(users.filter((userId) => isNeeded(userId, id)));
  const done = approvals.flatMap(({ byId, forId }) => (neededElsewhere.has(byId) ? byId : [byId, forId]));
  const waiting = [...eligible].filter((userId) => !done.includes(userId));
  const open = new Set([...waiting, ...deputiesOf(group, facts, waiting)]);
  return {
    open: [...open].filter((userId) => !done.includes(userId) && !neededElsewhere.has(userId)),
    neededElsewhere,
  };
}

/**
 * Returns a function that tells whether the groups together can get fewer approvals if a user approves in a
 * group. They cannot if this group, or a person without a place, can be reached from the group in which the
 * user has a place or from a group with a free place: then people can move so that all places are filled.
 */
export function neededElsewhereIn(groups: readonly Places[]): (userId: string, groupId: string) => boolean {
  const groupOf = placed(groups);
  const taken = placesTaken(groups, groupOf);
  const unfilled = groups.filter(({ id, count }) => taken.get(id) !== count);
  const reached = new Map(groups.map((group) => [group, reachedFrom([group, ...unfilled], groupOf)]));
  return (userId, groupId) => {
    const held = groupOf.get(userId);
    return held !== undefined && [...(reached.get(held) ?? [])].every((one) => one && one.id !== groupId);
  };
}

/** Returns the groups from which people can move to these groups; undefined stands for having no place. */
function reachedFrom(groups: readonly Places[], groupOf: GroupOf): ReadonlySet<Places | undefined> {
  const reached = new Set<Places | undefined>(groups);
  // The loop also visits the groups that it adds.
  for (const group of reached) {
    if (reached.has(undefined)) break;
    for (const person of group?.people ?? []) reached.add(groupOf.get(person));
  }
  return reached;
}

export function isApproved({ groups }: JudgedApprovals): boolean {
  return groups.every(({ isComplete }) => isComplete);
}

function needOf({ when }: ApprovalGroup, context: ExpressionContext): JudgedGroup['need'] {
  if (when === undefined) return 'needed';
  if (when === 'broken' || context.timeAllowed.isUsedUp) return 'broken';
  try {
    const result = when.evaluate(expressionInput(context, when), context.timeAllowed);
    if (typeof result !== 'boolean') return 'broken';
    return result ? 'needed' : 'unneeded';
  } catch (error) {
    if (error instanceof ExpressionError) return 'broken';
    throw error;
  }
}

type SeenGroup = Pick<JudgedGroup, keyof ApprovalGroup | 'need' | 'eligible' | 'decisions' | 'isRejected'>;

/** Judges what does not depend on the other groups. */
function judgeGroup(group: ApprovalGroup, facts: ApprovalFacts, need: JudgedGroup['need']): SeenGroup {
  const own = facts.decisions.filter(({ groupId }) => groupId === group.id);
  const decisions = own.map((decision) => ({ ...decision, ...judgeDecision(group, facts, decision) }));
  const eligible = eligibleFor(group, facts);
  return { ...group, need, eligible, decisions, isRejected: decisions.some(isRejection) };
}

export const isApproval = ({ state, decision }: JudgedDecision): boolean =>
  state === 'counts' && decision === 'approve';

export const isRejection = ({ state, decision }: JudgedDecision): boolean =>
  state === 'counts' && decision === 'reject';

function judgeDecision(
  group: ApprovalGroup,
  facts: ApprovalFacts,
  { state, decision, byId, forId, via, covers, because }: Decision,
): Pick<JudgedDecision, 'state' | 'why'> {
  if (state === 'withdrawn') return { state };
  if (state !== 'live') return { state: 'stale', why: whyStale(because, facts.workflow.schema) };
  // A rejection counts even if its author may no longer decide.
  if (decision === 'reject') return { state: 'counts' };
  if (!group.covers.every((part) => covers.includes(part)))
    return { state: 'stale', why: 'the definition now covers more' };
  const why =
    (via !== null && group.isByPeople ? 'was given by a key' : undefined) ??
    whyNot(group, facts, forId ?? byId) ??
    (forId === null ? undefined : whyKeptOut(group, facts, byId));
  return why === undefined ? { state: 'counts' } : { state: 'ineligible', why };
}

export function whyStale(because: Decision['because'], schema: TaskSchema): Message {
  const { stage, parts = [] } = because ?? {};
  if (stage !== undefined) {
    const left = schema.stages.all.find(({ id }) => id === stage);
    return left ? say`the task has left ${left.name} since` : 'the task has left its stage since';
  }
  const names = [...new Set(parts.map((part) => nameOfPart(part, schema)))].toSorted();
  const listed = names.join(', ');
  return names.length === 1 ? say`${listed} has changed since` : say`${listed} have changed since`;
}

export interface Places {
  readonly id: string;
  readonly count: number;
  readonly people: ReadonlySet<string>;
}

/** Maps the ids of people to the groups in which they take a place. */
type GroupOf = ReadonlyMap<string, Places>;

/** Maps groups to numbers of approvals, up to `count`. Counts a person once. Fills the first groups first. */
export function placesTaken(
  groups: readonly Places[],
  groupOf: GroupOf = placed(groups),
): ReadonlyMap<string, number> {
  const held = [...groupOf.values()];
  return new Map(groups.map((group) => [group.id, held.filter((one) => one === group).length]));
}

function placed(groups: readonly Places[]): GroupOf {
  const groupOf = new Map<string, Places>();
  for (const group of groups) {
    let left = group.count;
    while (left > 0 && takePlace(group, groupOf, new Set())) left -= 1;
  }
  return groupOf;
}

/** Finds a person for one more approval; may move people to other groups (an augmenting path). */
function takePlace(group: Places, groupOf: Map<string, Places>, tried: Set<Places>): boolean {
  tried.add(group);
  const people = [...group.people];
  const canSpare = (held: Places): boolean => !tried.has(held) && takePlace(held, groupOf, tried);
  // People without a place come first, because moving people takes longer.
  const free = people.find((person) => !groupOf.has(person));
  const found = free ?? people.find((person) => canSpare(groupOf.get(person) ?? group));
  if (found !== undefined) groupOf.set(found, group);
  return found !== undefined;
}
