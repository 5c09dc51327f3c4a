import { isAvailable } from '../actions/action.js';
import { nameOfPart } from '../actions/requirements/approvals/approval-group.js';
import { messagesOfGroup } from '../actions/requirements/approvals/approval-messages.js';
import {
  type JudgedApprovals,
  type JudgedDecision,
  type JudgedGroup,
  whyStale,
} from '../actions/requirements/approvals/judge-approvals.js';
import { standsFor } from '../actions/requirements/approvals/who-may-approve.js';
import { english, type Message, say } from '../common/message.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { isSignedIn, type Scope, userOf } from '../workflows/model/scope.js';
import { type PageApproval, type ShownApproval, type ShownDecision } from './approval.dto.js';
import { type EntityManager } from 'typeorm';
import { ApprovalEntity } from '../actions/requirements/approvals/approval.entity.js';
import { type Workflow } from '../workflows/model/workspace.js';

/** Returns a group as the API shows it; `seen` identifies the state of what the group covers. */
export function showApproval(
  { plan, workflow: { schema } }: JudgedApprovals,
  { id, need, count, given, open, decisions }: JudgedGroup,
  seen: string,
): ShownApproval {
  return {
    action: plan.action.id,
    id,
    needed: need === 'unneeded' ? 0 : count,
    given,
    open: open.flatMap((userId) => emailIn(schema, userId) ?? []),
    seen,
    decisions: decisions.map((decision) => showDecision(decision, schema)),
  };
}

function showDecision(decided: JudgedDecision, schema: TaskSchema): ShownDecision {
  const { byId, forId, decision, comment, decidedAt: at, state, why, via } = decided;
  return {
    by: emailIn(schema, byId),
    for: emailIn(schema, forId),
    decision,
    comment,
    at,
    state,
    because: why === undefined ? null : english(why),
    ...(via !== null && { via: `via key ${via}` }),
  };
}

function emailIn({ users }: TaskSchema, id: string | null): string | null {
  return id === null ? null : (users.get(id)?.email ?? null);
}

export function pageApproval(
  scope: Scope,
  approvals: JudgedApprovals,
  group: JudgedGroup,
  seen: string,
): PageApproval {
  const viewer = userOf(scope);
  const { action } = approvals.plan;
  const { schema } = approvals.workflow;
  const { isComplete, isRejected, need, reachable, count } = group;
  const stage = schema.stages.get(approvals.task.stageId).name;
  const isOffered = isAvailable(action, stage);
  const own = group.decisions.find(({ state, byId }) => state === 'counts' && byId === viewer?.id);
  const stands = viewer && standsFor(group, approvals, viewer);
  const whyNotNow = (): Message | null => {
    if (!isOffered) return say`${action.name} is not available in stage ${stage}.`;
    if (need === 'unneeded') return 'No decision is needed.';
    if (group.isByPeople && !isSignedIn(scope)) return 'Only people who are signed in may decide this.';
    return stands && 'why' in stands ? stands.why : null;
  };
  const why = whyNotNow();
  const isNeeded = viewer && group.neededElsewhere.has(viewer.id);
  return {
    ...showApproval(approvals, group, seen),
    actionName: action.name,
    isOffered,
    isComplete,
    isRejected,
    isBlocked: need === 'broken' || (need === 'needed' && reachable < count),
    own: own?.decision === 'reject' ? 'reject' : own ? 'approve' : null,
    mayDecide: why === null,
    why: why ?? (isNeeded ? neededElsewhere : null),
    onBehalfOf: stands && 'forId' in stands ? emailIn(schema, stands.forId) : null,
    unmet: messagesOfGroup(group, schema),
  };
}

/** Why the approval of a user cannot count. */
export const neededElsewhere: Message =
  'A person counts for one group only, and another group needs this person.';

/** A decision that was replaced, or whose action has succeeded since. The service keeps it as evidence. */
export interface PastDecision extends Readonly<
  Pick<ApprovalEntity, 'actionId' | 'groupId' | 'decision' | 'comment' | 'via' | 'decidedAt'>
> {
  readonly by: string | null;
  readonly for: string | null;
  /** Whether the decision counted when the action succeeded. */
  readonly hasCounted: boolean;
  /** Why the decision did not count. */
  readonly because: Message | null;
  /** The present names of the parts that the decision covered; undefined if it covered everything. */
  readonly covers: readonly string[] | undefined;
}

const MAX_SHOWN = 100;

/** Returns the latest past decisions on a task, newest first. */
export async function pastDecisions(
  db: EntityManager,
  { workspaceId, id, schema }: Workflow,
  taskId: string,
): Promise<PastDecision[]> {
  const of = { workspaceId, workflowId: id, taskId };
  const rows = await db.find(ApprovalEntity, {
    where: [
      { ...of, isPast: true },
      { ...of, state: 'replaced' },
    ],
    order: { id: 'DESC' },
    take: MAX_SHOWN,
  });
  return rows.map((row) => shown(row, schema));
}

function shown(row: ApprovalEntity, schema: TaskSchema): PastDecision {
  const { actionId, groupId, decision, comment, via, decidedAt, byId, forId, covers, state, because } = row;
  const parts = covers.includes('*') ? undefined : covers.map((part) => nameOfPart(part, schema));
  return {
    actionId,
    groupId,
    decision,
    comment,
    via,
    decidedAt,
    by: emailIn(schema, byId),
    for: emailIn(schema, forId),
    hasCounted: state === 'used',
    // If a change made the decision stale, shows that change; otherwise shows the reason of the state.
    because: because === null ? reasons[state] : whyStale(because, schema),
    covers: parts && [...new Set(parts)],
  };
}

const reasons: Readonly<Record<ApprovalEntity['state'], Message | null>> = {
  live: null,
  stale: null,
  used: null,
  withdrawn: 'it was withdrawn',
  replaced: 'it was replaced by a later decision',
};
