import { type EntityManager } from 'typeorm';
import { statesOfTask } from '../actions/requirements/approvals/approvals.repository.js';
import { type User } from '../workflows/fields/field-type.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type Scope } from '../workflows/model/scope.js';
import { recordApproval } from './approval-events.js';
import { eventTask, requireOffered, requireSeen } from './decide.js';
import { addDecision } from './decisions.repository.js';
import { type ApprovedAction, readApprovals } from '../actions/requirements/approvals/read-approvals.js';

/** A request to override approvals. */
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
