import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../access/api-keys.js';
import { isAvailable } from '../actions/action.js';
import { type ApprovalPlan } from '../actions/requirements/approvals/approval-group.js';
import {
  addDecision,
  type DecisionPlace,
  noteTold,
  statesOfTask,
  withdrawDecision,
} from '../actions/requirements/approvals/approvals.repository.js';
import { isApproved, type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import { type ReadApprovals, readApprovals } from '../actions/requirements/approvals/read-approvals.js';
import { standsFor } from '../actions/requirements/approvals/who-may-approve.js';
import { preconditionFailed, TryAgain } from '../common/errors.js';
import { invalidField, type InvalidFields } from '../common/field-errors.js';
import { type Message, say } from '../common/message.js';
import { type Source } from '../common/origin.js';
import { recordEvent } from '../events/record-event.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type User } from '../workflows/fields/field-type.js';
import { isSignedIn, type Scope } from '../workflows/model/scope.js';
import { type ShownApproval, type WantedDecision } from './approval.dto.js';
import { neededElsewhere, showApproval } from './show-approval.js';

/** An action on a task. The task, and the linked tasks that the action's approvals cover, must be locked. */
export interface LockedApprovals {
  readonly tx: EntityManager;
  readonly scope: Scope;
  readonly task: TaskRow;
  readonly plan: ApprovalPlan;
}

interface Decider extends LockedApprovals {
  readonly user: User;
  readonly wanted: WantedDecision;
}

/** Stores or withdraws a decision, and records the events; returns the new state of the group. */
export async function decideLocked(decider: Decider): Promise<ShownApproval> {
  const { tx, scope, task, wanted } = decider;
  const before = await judgeNow(decider);
  const group = groupIn(before, wanted.groupId);
  requireOffered(decider);
  const [seen = ''] = await statesOfTask(tx, scope.workflow, task.id, [group.covers]);
  if (isMade(decider, group)) {
    requireSeen(seen, wanted.seen);
    return showApproval(before, group, seen);
  }
  const id =
    wanted.decision === 'withdraw'
      ? await takeBack(decider, before)
      : await take(decider, before, group, seen);
  const after = await judgeNow(decider);
  await tell(decider, before, after, id);
  return showApproval(after, groupIn(after, wanted.groupId), seen);
}

/** Whether the same decision of the user already counts. */
function isMade({ wanted, user }: Decider, { decisions }: JudgedGroup): boolean {
  return decisions.some(
    ({ state, byId, decision, comment }) =>
      state === 'counts' &&
      byId === user.id &&
      decision === wanted.decision &&
      comment === (wanted.comment ?? null),
  );
}

async function judgeNow({ tx, scope, task, plan }: LockedApprovals): Promise<ReadApprovals> {
  const [approvals] = await readApprovals(tx, scope, task, [plan]);
  if (!approvals) throw new TryAgain('a locked task is gone');
  return approvals;
}

function groupIn({ groups }: ReadApprovals, groupId: string): JudgedGroup {
  const found = groups.find(({ id }) => id === groupId);
  if (!found) throw new Error('a group that was found before is gone');
  return found;
}

function requireOffered({ scope: { workflow }, task, plan: { action } }: LockedApprovals): void {
  const stage = workflow.schema.stages.get(task.stageId).name;
  if (!isAvailable(action, stage)) throw refused(say`${action.name} is not available in stage ${stage}`);
}

const refused = (message: Message): InvalidFields => invalidField('base', message);

/** Throws 412 if the stage or a covered part has changed since the client read the state `seen`. */
function requireSeen(state: string, seen: string | null | undefined): void {
  if (seen == null || state === seen) return;
  throw preconditionFailed(
    'What the approval covers has changed: read the approval and send the new `seen`.',
  );
}

async function takeBack({ tx, scope, user, wanted }: Decider, { decisions }: ReadApprovals): Promise<string> {
  const own = decisions.find(
    ({ groupId, state, byId }) => groupId === wanted.groupId && state === 'live' && byId === user.id,
  );
  if (!own) throw refused(say`${user.email} has nothing to withdraw`);
  await withdrawDecision(tx, scope.workspaceId, own.id);
  return own.id;
}

async function take(
  decider: Decider,
  approvals: ReadApprovals,
  group: JudgedGroup,
  seen: string,
): Promise<string> {
  const { tx, scope, wanted, user } = decider;
  if (group.need === 'unneeded') throw refused('is not needed');
  const stands = standsFor(group, approvals, user);
  if ('why' in stands) throw refused(stands.why);
  if (wanted.decision === 'approve' && group.neededElsewhere.has(user.id)) throw refused(neededElsewhere);
  requireSeen(seen, wanted.seen);
  return addDecision(tx, placeOf(decider), {
    groupId: group.id,
    byId: user.id,
    forId: stands.forId,
    decision: wanted.decision === 'approve' ? 'approve' : 'reject',
    comment: wanted.comment ?? null,
    via: await keyName(tx, scope),
    covers: [...group.covers],
  });
}

function placeOf({ scope, task, plan }: Pick<Decider, 'scope' | 'task' | 'plan'>): DecisionPlace {
  const { workspaceId, workflow } = scope;
  return { workspaceId, workflowId: workflow.id, taskId: task.id, actionId: plan.action.id };
}

async function keyName(tx: EntityManager, scope: Scope): Promise<string | null> {
  const keyId = isSignedIn(scope) ? undefined : scope.viewer?.keyId;
  if (keyId === undefined) return null;
  return (await namesOfKeys(tx, scope.workspaceId, new Set([keyId]))).get(keyId) ?? keyId;
}

/** Records an event for the decision, and an event for each group that the decision completes. */
async function tell(
  decider: Decider,
  before: ReadApprovals,
  after: ReadApprovals,
  id: string,
): Promise<void> {
  const { tx, scope, wanted, user } = decider;
  const completed = after.groups.filter(
    ({ id, need, isComplete }) => need !== 'unneeded' && isComplete && !groupIn(before, id).isComplete,
  );
  const isAll = isApproved(after) && !isApproved(before);
  const rejection = wanted.decision === 'reject' ? [`reject ${wanted.groupId}`] : [];
  const told = [...rejection, ...(isAll ? ['complete'] : [])];
  const known = told.length === 0 ? new Set<string>() : await noteTold(tx, placeOf(decider), id, told);
  const taken = after.decisions.find((decision) => decision.id === id);
  const about = {
    by: user.id,
    for: taken?.forId ?? null,
    comment: wanted.decision === 'withdraw' ? (wanted.comment ?? null) : (taken?.comment ?? null),
    author: user.id,
  };
  await recordApproval(tx, 'approval.decided', after, scope.origin?.source, {
    ...about,
    group: wanted.groupId,
    decision: wanted.decision,
    is_complete: groupIn(after, wanted.groupId).isComplete,
    is_repeated: known.has(`reject ${wanted.groupId}`),
  });
  for (const group of completed)
    await recordApproval(tx, 'approval.complete', after, scope.origin?.source, {
      ...about,
      group: group.id,
      is_last: isAll && group === completed.at(-1),
      is_repeated: known.has('complete'),
    });
}

/** The data of an approval event, with internal user ids, which `serialize-event.ts` converts. */
interface AboutApproval {
  readonly group: string;
  readonly decision?: string;
  readonly by?: string;
  readonly for?: string | null;
  readonly comment?: string | null;
  /** In `approval.requested`: the users who are `open` in the group. Only notifications read this. */
  readonly open?: readonly string[];
  readonly author?: string;
  /** In `approval.decided`: whether the group is complete after the decision. Only mails read this. */
  readonly is_complete?: boolean;
  /** Whether the decision completes the last group that the action needs. */
  readonly is_last?: boolean;
  /** Whether this rejection or completion was already reported for this state. Rules ignore a repetition. */
  readonly is_repeated?: boolean;
}

export async function recordApproval(
  tx: EntityManager,
  type: string,
  { workflow: { workspaceId, id: workflowId }, task, plan }: ReadApprovals,
  origin: Source | undefined,
  about: AboutApproval,
): Promise<void> {
  const { id: taskId, publicId, uniqueValue, version } = task;
  await recordEvent(tx, {
    workspaceId,
    type,
    workflowId,
    task: { taskId, publicId, uniqueValue, version },
    origin,
    about: { action: plan.action.id, ...about },
  });
}
