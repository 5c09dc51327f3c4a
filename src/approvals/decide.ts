import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../access/api-keys.js';
import { isAvailable } from '../actions/action.js';
import { MINUTE } from '../workflows/time/zone.js';
import { addTo } from '../workflows/time/working-time.js';
import { calendarWithoutHours } from '../workflows/time/calendar.js';
import { standsFor } from '../actions/requirements/approvals/who-may-approve.js';
import { isApproved, type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import {
  statesOfTask,
  addDecision,
  type DecisionPlace,
  noteTold,
  withdrawDecision,
} from '../actions/requirements/approvals/approvals.repository.js';
import { preconditionFailed, TryAgain } from '../common/errors.js';
import { invalidField, type InvalidFields } from '../common/field-errors.js';
import { type Message, say } from '../common/message.js';
import { type EventTaskKey, recordEvent } from '../events/record-event.js';
import { type User } from '../workflows/fields/field-type.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { isSignedIn, type Scope } from '../workflows/model/scope.js';
import { type ShownApproval, type WantedDecision } from './approval.dto.js';
import {
  type ActionApprovals,
  type ApprovedAction,
  readApprovals,
} from '../actions/requirements/approvals/read-approvals.js';
import { showApproval } from './show-approval.js';
import { type Source } from '../common/origin.js';
import { type Workflow } from '../workflows/model/workspace.js';

export interface LockedDecision {
  readonly tx: EntityManager;
  readonly scope: Scope;
  readonly task: TaskRow;
  readonly approved: ApprovedAction;
  readonly wanted: WantedDecision;
  readonly user: User;
}

/** Stores a decision and its events; returns the new state. The task, and what the group covers, must be locked. */
export async function decideLocked(locked: LockedDecision): Promise<ShownApproval> {
  const { tx, scope, task, approved, wanted } = locked;
  const before = await judgeNow(locked);
  const group = groupIn(before, wanted.groupId);
  requireOffered(scope, task, approved);
  const [seen = ''] = await statesOfTask(tx, scope.workflow, task.id, [group.group.covers]);
  if (isMade(locked, group, before.loaded.now)) {
    requireSeen(seen, wanted.seen);
    return showApproval(before, group, seen);
  }
  const id =
    wanted.decision === 'withdraw' ? await takeBack(locked, group) : await take(locked, before, group, seen);
  const after = await judgeNow(locked);
  await tell(locked, before, after, id);
  return showApproval(after, groupIn(after, wanted.groupId), seen);
}

/** Whether the same decision already counts, and would not last longer if it was made again. */
function isMade({ wanted, user }: LockedDecision, { group, decisions }: JudgedGroup, now: Date): boolean {
  const same = decisions.find(
    ({ state, decision }) =>
      state === 'counts' &&
      decision.byId === user.id &&
      decision.decision === wanted.decision &&
      decision.comment === (wanted.comment ?? null),
  );
  if (!same || !group.expires) return same !== undefined;
  return new Date(now).getTime() - Date.parse(same.decision.decidedAt) < MINUTE;
}

async function judgeNow({ tx, scope, task, approved }: LockedDecision): Promise<ActionApprovals> {
  const [approvals] = await readApprovals(tx, scope, task, [approved]);
  if (!approvals) throw new TryAgain('a locked task is gone');
  return approvals;
}

function groupIn({ judged }: ActionApprovals, groupId: string): JudgedGroup {
  const found = judged.groups.find(({ group }) => group.id === groupId);
  if (!found) throw new Error('a group was looked up before');
  return found;
}

function requireOffered({ workflow }: Scope, { stageId }: TaskRow, { action }: ApprovedAction): void {
  const stage = workflow.schema.stages.get(stageId).name;
  if (!isAvailable(action, stage)) throw refused(say`${action.name} is not available in stage ${stage}`);
}

const refused = (message: Message): InvalidFields => invalidField('base', message);

/** Throws if the task has changed since the client read it. */
function requireSeen(seen: string, state: string | null | undefined): void {
  if (state == null || state === seen) return;
  throw preconditionFailed('What the approval covers has changed: read it again and send the new seen.');
}

async function takeBack({ tx, scope, user }: LockedDecision, { decisions }: JudgedGroup): Promise<string> {
  const own = decisions.find(({ decision }) => decision.state === 'live' && decision.byId === user.id);
  if (!own) throw refused(say`${user.email} has nothing to withdraw`);
  await withdrawDecision(tx, scope.workspaceId, own.decision.id);
  return own.decision.id;
}

async function take(
  locked: LockedDecision,
  { facts, loaded }: ActionApprovals,
  { group, need }: JudgedGroup,
  seen: string,
): Promise<string> {
  const { tx, scope, wanted, user } = locked;
  if (need === 'unneeded') throw refused('is not needed');
  const stands = standsFor(group, facts, user);
  if ('why' in stands) throw refused(stands.why);
  requireSeen(seen, wanted.seen);
  const isApproval = wanted.decision === 'approve';
  const calendar = calendarWithoutHours(scope.workflow.timezone);
  return addDecision(tx, placeOf(locked), {
    groupId: group.id,
    byId: user.id,
    forId: stands.forId,
    decision: isApproval ? 'approve' : 'reject',
    comment: wanted.comment ?? null,
    via: await keyName(tx, scope),
    covers: group.covers,
    expiresAt:
      isApproval && group.expires
        ? new Date(addTo(calendar, new Date(loaded.now).getTime(), group.expires))
        : null,
  });
}

function placeOf({ scope, task, approved }: LockedDecision): DecisionPlace {
  const { workspaceId, workflow } = scope;
  return { workspaceId, workflowId: workflow.id, taskId: task.id, actionId: approved.action.id };
}

async function keyName(tx: EntityManager, scope: Scope): Promise<string | null> {
  const keyId = isSignedIn(scope) ? undefined : scope.viewer?.keyId;
  if (keyId === undefined) return null;
  return (await namesOfKeys(tx, scope.workspaceId, new Set([keyId]))).get(keyId) ?? keyId;
}

/** Records events for the decision, and for each group that it completes. */
async function tell(
  locked: LockedDecision,
  before: ActionApprovals,
  after: ActionApprovals,
  id: string,
): Promise<void> {
  const { tx, scope, task, wanted, user, approved } = locked;
  const { workflow, origin } = scope;
  const completed = after.judged.groups
    .filter(({ need, isComplete }) => need !== 'unneeded' && isComplete)
    .map(({ group }) => group.id)
    .filter((groupId) => !groupIn(before, groupId).isComplete);
  const isAll = isApproved(after.judged) && !isApproved(before.judged);
  const told = [
    ...(wanted.decision === 'reject' ? [`reject ${wanted.groupId}`] : []),
    ...(isAll ? ['complete'] : []),
  ];
  const known = told.length === 0 ? new Set<string>() : await noteTold(tx, placeOf(locked), id, told);
  const taken = after.loaded.decisions.find((decision) => decision.id === id);
  const about = {
    action: approved.action.id,
    by: user.id,
    for: taken?.forId ?? null,
    comment: wanted.decision === 'withdraw' ? (wanted.comment ?? null) : (taken?.comment ?? null),
    author: user.id,
  };
  const record = (type: string, more: Partial<AboutApproval> & Pick<AboutApproval, 'group'>): Promise<void> =>
    recordApproval(tx, type, workflow, eventTask(task), origin?.source, { ...about, ...more });
  await record('approval.decided', {
    group: wanted.groupId,
    decision: wanted.decision,
    is_repeated: known.has(`reject ${wanted.groupId}`),
  });
  for (const group of completed) {
    const isLast = isAll && group === completed.at(-1);
    await record('approval.complete', { group, is_last: isLast, is_repeated: known.has('complete') });
  }
}

export function eventTask({ id, publicId, uniqueValue, version }: TaskRow): EventTaskKey {
  return { taskId: id, publicId, uniqueValue, version };
}

export interface WantedOverride {
  readonly actionId: string;
  readonly reason: string;
  /** The `seen` of one of the groups. */
  readonly seen?: string | null | undefined;
}

interface LockedOverride {
  readonly tx: EntityManager;
  readonly scope: Scope;
  readonly task: TaskRow;
  readonly approved: ApprovedAction;
  readonly user: User;
  readonly reason: string;
  readonly seen: string | null | undefined;
}

/** Overrides the approvals of an action on a locked task, until something that they cover changes. */
export async function overrideLocked(wanted: LockedOverride): Promise<void> {
  const { tx, scope, task, approved, user, reason, seen } = wanted;
  requireOffered(scope, task, approved);
  const { workflow, workspaceId, origin } = scope;
  const covers = approved.plan.groups.map((group) => group.covers);
  const states = await statesOfTask(tx, workflow, task.id, covers);
  requireSeen(states.find((state) => state === seen) ?? '', seen);
  const [now] = await readApprovals(tx, scope, task, [approved]);
  const earlier = now?.judged.override;
  if (earlier?.byId === user.id && earlier.comment === reason) return;
  const { id: actionId } = approved.action;
  const place = { workspaceId, workflowId: workflow.id, taskId: task.id, actionId };
  await addDecision(tx, place, {
    groupId: null,
    byId: user.id,
    forId: null,
    decision: 'override',
    comment: reason,
    via: null,
    covers: [...new Set(covers.flat())],
    expiresAt: null,
  });
  const about = { action: actionId, group: null, by: user.id, comment: reason, author: user.id };
  await recordApproval(tx, 'approval.overridden', workflow, eventTask(task), origin?.source, about);
}

/** The data of an approval event, with internal ids of people, as `serialize-event.ts` reads it. */
export interface AboutApproval {
  readonly action: string;
  /** Null for an override. */
  readonly group: string | null;
  readonly decision?: string;
  readonly by?: string;
  readonly for?: string | null;
  readonly comment?: string | null;
  /** For a request: the users who may decide and have not. Only notifications read it. */
  readonly open?: readonly string[];
  readonly author?: string;
  /** Whether this completes the last group that the action needs. */
  readonly is_last?: boolean;
  /** Whether the same was already reported with the task in this state. Rules ignore repetitions. */
  readonly is_repeated?: boolean;
}

export async function recordApproval(
  tx: EntityManager,
  type: string,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  task: EventTaskKey,
  origin: Source | undefined,
  about: AboutApproval,
): Promise<void> {
  await recordEvent(tx, { workspaceId, type, workflowId: id, task, origin, about });
}
