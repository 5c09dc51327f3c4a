import { type EntityManager } from 'typeorm';
import { isAvailable } from '../actions/action.js';
import { sourceOf } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { type Follower } from '../events/follower.js';
import { findTaskOfId } from '../task-store/task.repository.js';
import { Scope } from '../workspace/scope.js';
import { type Workflow } from '../workspace/workspace.js';
import { recordApproval } from './approval-events.js';
import { eventTask } from './decide.js';
import {
  type ApprovedAction,
  approvedActions,
  fieldsRead,
  readApprovals,
} from '../actions/approvals/read-approvals.js';

/** Asks those who may decide: when a task enters a stage where an action needs approvals, and when one has ended. */
export const approvalsFollower: Follower = {
  name: 'approvals',
  wants: ({ workflows }) =>
    workflows.some(({ actions }) => actions.some(({ requirements }) => 'approvals' in requirements)),
  types: ['task.created', 'task.updated', 'approval.stale'],
  leavesValues: true,
  async follow({ tx, workspace }, event) {
    const workflow = [...workspace.workflows.values()].find(({ id }) => id === event.workflowId);
    if (!workflow) return;
    const asked = askedBy(event, workflow);
    if (asked.length > 0) await ask(tx, workflow, event, asked);
  },
};

/** The actions whose groups an event has asked. */
function askedBy(event: RecordedEvent, workflow: Workflow): ApprovedAction[] {
  const actions = approvedActions(workflow);
  if (event.type !== 'approval.stale') return event.stageTo === null ? [] : actions;
  const { because, action } = event.about ?? {};
  // Where the task has entered another stage, that asks.
  const hasLeft = typeof because === 'object' && because !== null && 'stage' in because;
  return hasLeft ? [] : actions.filter((approved) => approved.action.id === action);
}

async function ask(
  tx: EntityManager,
  workflow: Workflow,
  event: RecordedEvent,
  actions: readonly ApprovedAction[],
): Promise<void> {
  const { taskId, workflowId, version, origin, about } = event;
  if (taskId === null || workflowId === null) return;
  const place = { workspaceId: workflow.workspaceId, workflowId, taskId };
  const task = await findTaskOfId(tx, place, fieldsRead(workflow, actions));
  if (!task) return;
  const stage = workflow.schema.stages.get(task.stageId).name;
  const offered = actions.filter(({ action }) => isAvailable(action, stage));
  const { key, request, execution, action, user, cause, silent } = sourceOf(origin);
  const source = {
    key,
    request,
    ...(execution && { execution }),
    ...(action && { action }),
    user,
    cause,
    silent,
  };
  for (const { action, judged, loaded } of await readApprovals(tx, new Scope(workflow), task, offered)) {
    // A later visit of a stage has an event of its own.
    if (judged.override || (version ?? 0) < loaded.visit) continue;
    const isAsked = (group: string): boolean => event.type !== 'approval.stale' || isOf(about, group);
    for (const { group, need, isComplete, open } of judged.groups)
      if (need !== 'unneeded' && !isComplete && isAsked(group.id))
        await recordApproval(tx, 'approval.requested', workflow, eventTask(task), source, {
          action: action.id,
          group: group.id,
          open,
        });
  }
}

/** Whether an event is about this group; that of an override is about all. */
function isOf(about: RecordedEvent['about'], group: string): boolean {
  return about?.['group'] == null || about['group'] === group;
}
