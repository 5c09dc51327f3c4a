import { messagesOfGroup, whyEnded } from '../actions/requirements/approvals/approval-messages.js';
import { standsFor } from '../actions/requirements/approvals/who-may-approve.js';
import { type JudgedDecision, type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import { isAvailable } from '../actions/action.js';
import { type Decision } from '../actions/requirements/approvals/approvals.repository.js';
import { english, type Message, say } from '../common/message.js';
import { type User } from '../workflows/fields/field-type.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { isSignedIn, type Scope } from '../workflows/model/scope.js';
import {
  type PageApproval,
  type ShownApproval,
  type ShownDecision,
  type ShownOverride,
} from './approval.dto.js';
import { type ActionApprovals } from '../actions/requirements/approvals/read-approvals.js';

/** A group as the API shows it; `seen` identifies the state of the task. */
export function showApproval(
  { action, judged: { override }, facts }: ActionApprovals,
  judged: JudgedGroup,
  seen: string,
): ShownApproval {
  const { schema } = facts.workflow;
  const { group, need, given, open, decisions } = judged;
  return {
    action: action.id,
    id: group.id,
    needed: need === 'unneeded' ? 0 : group.count,
    given,
    open: open.flatMap((id) => emailIn(schema, id) ?? []),
    seen,
    decisions: decisions.map((decision) => showDecision(decision, schema)),
    ...(override && { overridden: showOverride(override, schema) }),
  };
}

function showDecision(judged: JudgedDecision, schema: TaskSchema): ShownDecision {
  const { decision, state, why } = judged;
  const because = state === 'ineligible' && why !== undefined ? why : whyEnded(judged, schema);
  return {
    by: emailIn(schema, decision.byId),
    for: decision.forId === null ? null : emailIn(schema, decision.forId),
    decision: decision.decision,
    comment: decision.comment,
    at: decision.decidedAt,
    state,
    because: because === undefined ? null : english(because),
    ...(decision.via !== null && { via: `via key ${decision.via}` }),
  };
}

function showOverride({ byId, comment, decidedAt }: Decision, schema: TaskSchema): ShownOverride {
  return { by: emailIn(schema, byId), reason: comment, at: decidedAt };
}

const emailIn = ({ users }: TaskSchema, id: string): string | null => users.get(id)?.email ?? null;

/** A group as pages show it to the viewer. */
export function pageApproval(
  scope: Scope,
  viewer: User | undefined,
  approvals: ActionApprovals,
  judged: JudgedGroup,
  seen: string,
): PageApproval {
  const { action, facts } = approvals;
  const { schema } = facts.workflow;
  const isOffered = isAvailable(action, schema.stages.get(facts.task.stageId).name);
  const mine = judged.decisions.find(
    ({ state, decision }) => state === 'counts' && decision.byId === viewer?.id,
  );
  const stands = viewer && standsFor(judged.group, facts, viewer);
  const why = whyNotNow(scope, approvals, judged, isOffered, stands);
  const forId = stands && 'forId' in stands ? stands.forId : null;
  return {
    ...showApproval(approvals, judged, seen),
    actionName: action.name,
    isOffered,
    isComplete: judged.isComplete,
    isRejected: judged.isRejected,
    isBlocked:
      judged.need === 'broken' || (judged.need === 'needed' && judged.reachable < judged.group.count),
    own: mine?.decision.decision === 'reject' ? 'reject' : mine ? 'approve' : null,
    mayDecide: why === null,
    why,
    onBehalfOf: forId === null ? null : emailIn(schema, forId),
    unmet: messagesOfGroup(judged, schema),
  };
}

function whyNotNow(
  scope: Scope,
  { action, facts }: ActionApprovals,
  { group, need }: JudgedGroup,
  isOffered: boolean,
  stands: ReturnType<typeof standsFor> | undefined,
): Message | null {
  const stage = facts.workflow.schema.stages.get(facts.task.stageId).name;
  if (!isOffered) return say`${action.name} is not available in stage ${stage}.`;
  if (need === 'unneeded') return 'No decision is needed.';
  if (group.isByPeople && !isSignedIn(scope)) return 'Only people who are signed in may decide this.';
  return stands && 'why' in stands ? stands.why : null;
}
