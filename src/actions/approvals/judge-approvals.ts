import { type ApprovalGroup, type ApprovalPlan } from './approval-group.js';
import { type Decision } from './approvals.repository.js';
import { type ApprovalFacts, decidersOf, eligibleFor, whyKeptOut, whyNot } from './eligible.js';
import { placesTaken } from './matching.js';
import { type Message } from '../../lib/message.js';

/** Whether a group is needed; `broken` where its condition could not be evaluated, so that it is and cannot be met. */
export type Need = 'needed' | 'unneeded' | 'broken';

/** What a group of approvals has come to. */
export interface JudgedGroup {
  readonly group: ApprovalGroup;
  readonly need: Need;
  /** How many approvals count, never more than are needed. */
  readonly given: number;
  /** How many there could be at most. */
  readonly reachable: number;
  /** The ids of those who may approve themselves, and of those who may decide and have not, deputies included. */
  readonly eligible: ReadonlySet<string>;
  readonly open: readonly string[];
  readonly decisions: readonly JudgedDecision[];
  readonly isRejected: boolean;
  readonly isComplete: boolean;
}

export interface JudgedDecision {
  readonly decision: Decision;
  readonly state: 'counts' | 'stale' | 'expired' | 'withdrawn' | 'ineligible';
  /** Why it is ineligible; `covers` where the definition has it cover more than it did. */
  readonly why?: Message | 'covers' | undefined;
}

/** What the approvals of an action have come to. */
export interface JudgedApprovals {
  readonly groups: readonly JudgedGroup[];
  /** The decision of an administrator that sets the approvals aside. */
  readonly override: Decision | undefined;
}

/** Judges the approvals of an action; `needs` says of each group whether it is needed. */
export function judgeApprovals(
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
      // What is missing is missing where somebody can still give it.
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

/** Whether nothing is missing. */
export function isApproved({ groups, override }: JudgedApprovals): boolean {
  return override !== undefined || groups.every(({ isComplete }) => isComplete);
}

function judgeDecision(group: ApprovalGroup, facts: ApprovalFacts, decision: Decision): JudgedDecision {
  const { state, byId, forId, via } = decision;
  if (state !== 'live') return { decision, state: stateOf(state) };
  // A rejection holds, whatever has become of its author.
  if (decision.decision === 'reject') return { decision, state: 'counts' };
  if (!group.covers.every((part) => decision.covers.includes(part)))
    return { decision, state: 'stale', why: 'covers' };
  const why =
    (via !== null && group.isByPeople ? 'was given by a key' : undefined) ??
    whyNot(group, facts, forId ?? byId) ??
    (forId === null ? undefined : whyKeptOut(group, facts, byId));
  return why === undefined ? { decision, state: 'counts' } : { decision, state: 'ineligible', why };
}

function stateOf(state: Decision['state']): 'stale' | 'expired' | 'withdrawn' {
  return state === 'expired' || state === 'withdrawn' ? state : 'stale';
}

/** The approvals that count, of each human one. */
function approvalsIn(judged: readonly JudgedDecision[]): Decision[] {
  return judged.flatMap(({ state, decision }) =>
    state === 'counts' && decision.decision === 'approve' ? [decision] : [],
  );
}

/** Who may decide and has not approved; nobody is asked in whose place a deputy has. */
function openIn(group: ApprovalGroup, facts: ApprovalFacts, judged: readonly JudgedDecision[]): string[] {
  const done = new Set(approvalsIn(judged).flatMap(({ byId, forId }) => [byId, ...(forId ? [forId] : [])]));
  return [...decidersOf(group, facts)].filter((id) => !done.has(id));
}
