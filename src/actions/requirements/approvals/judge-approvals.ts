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
   * The ids of the eligible users and of their deputies. A user is left out if the user, or a deputy of the
   * user, has approved. Empty if the group is not needed.
   */
  readonly open: readonly string[];
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
  // Groups without `open` users come first, because `placesTaken` fills the first groups first.
  const needed = seen
    .filter(({ need }) => need !== 'unneeded')
    .toSorted((a, b) => Number(a.open.length > 0) - Number(b.open.length > 0));
  const placesOf = (peopleOf: (group: SeenGroup) => readonly string[]): ReadonlyMap<string, number> => {
    const places = needed.map((one) => ({ id: one.id, count: one.count, people: new Set(peopleOf(one)) }));
    return placesTaken(places);
  };
  const taken = placesOf(({ decisions }) => decisions.filter(isApproval).map(({ byId }) => byId));
  const reachable = placesOf(({ decisions, eligible }) => {
    const deputies = new Map(decisions.filter(isApproval).map(({ byId, forId }) => [forId, byId]));
    return [...eligible].map((id) => deputies.get(id) ?? id);
  });
  const groups = seen.map((one) => {
    const given = taken.get(one.id) ?? 0;
    const isMet = one.need === 'needed' && given === one.count && !one.isRejected;
    const isComplete = one.need === 'unneeded' || isMet;
    return { ...one, given, reachable: reachable.get(one.id) ?? 0, isComplete };
  });
  return { ...facts, groups };
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

type SeenGroup = Omit<JudgedGroup, 'given' | 'reachable' | 'isComplete'>;

/** Judges a group, except `given`, `reachable` and `isComplete`, which depend on the other groups. */
function judgeGroup(group: ApprovalGroup, facts: ApprovalFacts, need: JudgedGroup['need']): SeenGroup {
  const own = facts.decisions.filter(({ groupId }) => groupId === group.id);
  const decisions = own.map((decision) => ({ ...decision, ...judgeDecision(group, facts, decision) }));
  const eligible = eligibleFor(group, facts);
  const done = new Set(decisions.filter(isApproval).flatMap(({ byId, forId }) => [byId, forId]));
  const open = [...new Set([...eligible, ...deputiesOf(group, facts, eligible)])];
  return {
    ...group,
    need,
    eligible,
    decisions,
    open: need === 'unneeded' ? [] : open.filter((id) => !done.has(id)),
    isRejected: decisions.some(isRejection),
  };
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

/**
 * Maps group ids to numbers of approvals, up to `count`. Counts a person once. Fills the first groups first.
 */
export function placesTaken(groups: readonly Places[]): ReadonlyMap<string, number> {
  const groupOf = new Map<string, Places>();
  const taken = groups.map((group): [string, number] => {
    let places = 0;
    while (places < group.count && takePlace(group, groupOf, new Set())) places += 1;
    return [group.id, places];
  });
  return new Map(taken);
}

/** Finds a person for one more approval; may move people to other groups (an augmenting path). */
function takePlace(group: Places, groupOf: Map<string, Places>, tried: Set<string>): boolean {
  for (const person of group.people) {
    const held = groupOf.get(person);
    if (held === group || tried.has(person)) continue;
    tried.add(person);
    if (held && !takePlace(held, groupOf, tried)) continue;
    groupOf.set(person, group);
    return true;
  }
  return false;
}
