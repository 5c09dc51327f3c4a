import { type ApprovalGroup, type ApprovalPlan } from './approval-group.js';
import { type Decision, type LoadedApprovals } from './approvals.repository.js';
import { type ApprovalFacts, decidersOf, eligibleFor, whyKeptOut, whyNot } from './who-may-approve.js';
import { type Message } from '../../../common/message.js';
import { type Expression } from '../../../workflows/expressions/expression.js';
import { ExpressionError } from '../../../workflows/expressions/expression-error.js';
import { type ExpressionContext, expressionInput } from '../../action-context.js';
import { todayIn } from '../../../common/calendar.js';

/** `broken`: its condition cannot be evaluated, so the group is needed and cannot be complete. */
export type Need = 'needed' | 'unneeded' | 'broken';

export interface JudgedGroup {
  readonly group: ApprovalGroup;
  readonly need: Need;
  /** How many approvals count, but no more than are needed. */
  readonly given: number;
  /** The most approvals that the group can get. */
  readonly reachable: number;
  /** `eligible`: the users who may approve in person. `open`: those, and deputies, without those who have approved. */
  readonly eligible: ReadonlySet<string>;
  readonly open: readonly string[];
  readonly decisions: readonly JudgedDecision[];
  readonly isRejected: boolean;
  readonly isComplete: boolean;
}

export interface JudgedDecision {
  readonly decision: Decision;
  readonly state: 'counts' | 'stale' | 'expired' | 'withdrawn' | 'ineligible';
  readonly why?: Message | undefined;
  /** Whether it is stale because the definition now covers more than it did. */
  readonly coversTooLittle?: true;
}

export interface JudgedApprovals {
  readonly groups: readonly JudgedGroup[];
  /** An administrator's decision to bypass the approvals. */
  readonly override: Decision | undefined;
}

function judgeApprovals(
  { groups, isDistinct }: ApprovalPlan,
  facts: ApprovalFacts,
  needs: ReadonlyMap<string, Need>,
): JudgedApprovals {
  const own = facts.loaded.decisions.filter(({ actionId }) => actionId === facts.actionId);
  const override = own.find(({ decision, state }) => decision === 'override' && state === 'live');
  const seen = groups.map((group) => {
    const decisions = own.filter(({ groupId }) => groupId === group.id);
    const judged = decisions.map((decision) => judgeDecision(group, facts, decision));
    const open = openIn(group, facts, judged);
    return {
      group,
      need: needs.get(group.id) ?? 'needed',
      judged,
      open,
      eligible: eligibleFor(group, facts),
    };
  });
  const needed = seen.filter(({ need }) => need !== 'unneeded');
  const placesOf = (people: (one: (typeof seen)[number]) => Iterable<string>): ReadonlyMap<string, number> =>
    placesTaken(
      // Groups that nobody else can approve come first, so that somebody can still give a missing approval.
      needed
        .toSorted((a, b) => Number(a.open.length > 0) - Number(b.open.length > 0))
        .map((one) => ({ ...one.group, people: new Set(people(one)) })),
      isDistinct,
    );
  const taken = placesOf(({ judged }) => approvalsIn(judged).map(({ byId }) => byId));
  const reachable = placesOf(({ judged, eligible }) => {
    const deputies = new Map(approvalsIn(judged).map(({ byId, forId }) => [forId, byId]));
    return [...eligible].map((id) => deputies.get(id) ?? id);
  });
  return {
    override,
    groups: seen.map(({ group, need, judged, open, eligible }) => {
      const given = taken.get(group.id) ?? 0;
      const isRejected = judged.some(
        ({ decision, state }) => state === 'counts' && decision.decision === 'reject',
      );
      return {
        group,
        need,
        given,
        reachable: reachable.get(group.id) ?? 0,
        eligible,
        open: need === 'unneeded' ? [] : open,
        decisions: judged,
        isRejected,
        isComplete: need === 'unneeded' || (need === 'needed' && given === group.count && !isRejected),
      };
    }),
  };
}

export function isApproved({ groups, override }: JudgedApprovals): boolean {
  return override !== undefined || groups.every(({ isComplete }) => isComplete);
}

function judgeDecision(group: ApprovalGroup, facts: ApprovalFacts, decision: Decision): JudgedDecision {
  const { state, byId, forId, via } = decision;
  if (state !== 'live') return { decision, state: stateOf(state) };
  // A rejection counts even if its author may no longer decide.
  if (decision.decision === 'reject') return { decision, state: 'counts' };
  if (!group.covers.every((part) => decision.covers.includes(part)))
    return { decision, state: 'stale', coversTooLittle: true };
  const why =
    (via !== null && group.isByPeople ? 'was given by a key' : undefined) ??
    whyNot(group, facts, forId ?? byId) ??
    (forId === null ? undefined : whyKeptOut(group, facts, byId));
  return why === undefined ? { decision, state: 'counts' } : { decision, state: 'ineligible', why };
}

function stateOf(state: Decision['state']): 'stale' | 'expired' | 'withdrawn' {
  return state === 'expired' || state === 'withdrawn' ? state : 'stale';
}

/** The approvals that count, at most one per person. */
function approvalsIn(judged: readonly JudgedDecision[]): Decision[] {
  return judged.flatMap(({ state, decision }) =>
    state === 'counts' && decision.decision === 'approve' ? [decision] : [],
  );
}

/** The users who may decide and have not approved, without those for whom a deputy has approved. */
function openIn(group: ApprovalGroup, facts: ApprovalFacts, judged: readonly JudgedDecision[]): string[] {
  const done = new Set(approvalsIn(judged).flatMap(({ byId, forId }) => [byId, ...(forId ? [forId] : [])]));
  return [...decidersOf(group, facts)].filter((id) => !done.has(id));
}

/** Judges the approvals of an action on a task. The performer matters only if the action is about to run. */
export function judgeAction(
  plan: ApprovalPlan,
  actionId: string,
  context: ExpressionContext,
  loaded: LoadedApprovals,
): JudgedApprovals {
  return judgeApprovals(plan, factsAbout(actionId, context, loaded), needsOf(plan, context));
}

export function factsAbout(
  actionId: string,
  { scope: { workflow }, task, performer }: ExpressionContext,
  loaded: LoadedApprovals,
): ApprovalFacts {
  const today = todayIn(workflow.timezone, loaded.now);
  return { workflow, task, actionId, loaded, performerId: performer?.id, today };
}

function needsOf({ groups }: ApprovalPlan, context: ExpressionContext): ReadonlyMap<string, Need> {
  return new Map(groups.map((group) => [group.id, needOf(group, context)]));
}

function needOf({ when }: ApprovalGroup, context: ExpressionContext): Need {
  if (!when) return 'needed';
  if (!when.expression || context.timeAllowed.isUsedUp) return 'broken';
  return evaluate(when.expression, context);
}

function evaluate(expression: Expression, context: ExpressionContext): Need {
  try {
    const result = expression.evaluate(expressionInput(context, expression), context.timeAllowed);
    if (typeof result !== 'boolean') return 'broken';
    return result ? 'needed' : 'unneeded';
  } catch (error) {
    if (error instanceof ExpressionError) return 'broken';
    throw error;
  }
}

export interface Places {
  readonly id: string;
  readonly count: number;
  readonly people: ReadonlySet<string>;
}

/**
 * How many places of each group can be filled. With `isDistinct` a person fills one place in all groups together,
 * otherwise one place in each group. Earlier groups come first.
 */
export function placesTaken(groups: readonly Places[], isDistinct: boolean): ReadonlyMap<string, number> {
  if (!isDistinct) return new Map(groups.map(({ id, count, people }) => [id, Math.min(count, people.size)]));
  const groupOf = new Map<string, Places>();
  for (const group of groups)
    for (let place = 0; place < group.count; place += 1) if (!takePlace(group, groupOf, new Set())) break;
  return new Map(groups.map((group) => [group.id, countOf(groupOf, group)]));
}

/** Finds a person for one more place; if necessary, moves others to different groups (an augmenting path). */
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

function countOf(groupOf: ReadonlyMap<string, Places>, group: Places): number {
  return [...groupOf.values()].filter((held) => held === group).length;
}
