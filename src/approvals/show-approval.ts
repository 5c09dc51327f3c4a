import {
  messagesOfGroup,
  whyEnded,
  nameOfPart,
  whyStale,
} from '../actions/requirements/approvals/approval-messages.js';
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
import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { type ApprovalEntity } from '../actions/requirements/approvals/approval.entity.js';
import { type Workflow } from '../workflows/model/workspace.js';

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

/** A decision that was replaced, or whose action has succeeded since; kept as evidence. */
export interface PastDecision extends Readonly<
  Pick<ApprovalEntity, 'actionId' | 'groupId' | 'decision' | 'comment' | 'via' | 'decidedAt'>
> {
  readonly by: string | null;
  readonly for: string | null;
  /** Whether it counted when the action succeeded. */
  readonly hasCounted: boolean;
  /** Why it did not count. */
  readonly because: Message | null;
  /** The parts that it covered, by their present names; undefined for all fields and links. */
  readonly covers: readonly string[] | undefined;
}

const MAX_SHOWN = 100;

/** The past decisions on a task, newest first. */
export async function pastDecisions(
  db: EntityManager,
  { workspaceId, id, schema }: Workflow,
  taskId: string,
): Promise<PastDecision[]> {
  const rows = await sql<ApprovalEntity>(db, past, [workspaceId, id, taskId, MAX_SHOWN]);
  return rows.map((row) => shown(row, schema));
}

const past = {
  name: 'past-decisions',
  text: `
    SELECT action_id AS "actionId", group_id AS "groupId", by_id AS "byId", for_id AS "forId", decision, comment, via, covers,
      decided_at AS "decidedAt", state, because
    FROM approvals
    WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND (is_past OR state = 'replaced')
    ORDER BY id DESC LIMIT $4`,
};

function shown(row: ApprovalEntity, schema: TaskSchema): PastDecision {
  const { actionId, groupId, decision, comment, via, decidedAt, byId, forId, covers, state, because } = row;
  const emailOf = (user: string | null): string | null =>
    user === null ? null : (schema.users.get(user)?.email ?? null);
  const parts = covers.includes('*') ? undefined : covers.map((part) => nameOfPart(part, schema));
  return {
    ...{ actionId, groupId, decision, comment, via, decidedAt },
    by: emailOf(byId),
    for: emailOf(forId),
    hasCounted: state === 'used',
    // If a change made the decision stale, that is the better reason; otherwise, it was replaced.
    because: because === null ? reasons[state] : whyStale(because, schema),
    covers: parts && [...new Set(parts)],
  };
}

const reasons: Readonly<Record<ApprovalEntity['state'], Message | null>> = {
  live: null,
  stale: null,
  used: null,
  expired: 'it expired',
  withdrawn: 'it was withdrawn',
  replaced: 'it was replaced by a later one',
};
