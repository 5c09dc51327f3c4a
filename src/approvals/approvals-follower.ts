import { type EntityManager } from 'typeorm';
import { isAvailable } from '../actions/action.js';
import { sourceOf } from '../common/origin.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { type Follower } from '../events/follower.js';
import { sql } from '../common/database/sql.js';
import { type ApprovalGroup } from '../actions/requirements/approvals/approval-group.js';
import { findTaskOfId } from '../tasks/store/task.repository.js';
import { Scope } from '../workflows/model/scope.js';
import { findWorkflow, type Workflow } from '../workflows/model/workspace.js';
import { recordApproval, eventTask } from './decide.js';
import {
  type ApprovedAction,
  approvedActions,
  fieldsRead,
  readApprovals,
} from '../actions/requirements/approvals/read-approvals.js';

/** Requests decisions when a group becomes needed, or when an approval becomes stale. */
export const approvalsFollower: Follower = {
  name: 'approvals',
  wants: ({ workflows }) =>
    workflows.some(({ actions }) => actions.some(({ requirements }) => 'approvals' in requirements)),
  types: ['task.created', 'task.updated', 'approval.stale'],
  async follow({ tx, workspace }, event) {
    const workflow = findWorkflow(workspace, event.workflowId);
    if (!workflow) return;
    const asked = askedBy(event, workflow);
    if (asked.length > 0) await ask(tx, workflow, event, asked);
  },
};

function askedBy(event: RecordedEvent, workflow: Workflow): ApprovedAction[] {
  const actions = approvedActions(workflow);
  if (isChangeWithin(event)) return actions.filter(({ plan }) => plan.groups.some(isConditional));
  if (event.type !== 'approval.stale') return event.stageTo === null ? [] : actions;
  const { because, action } = event.about ?? {};
  // If the task has entered another stage, the event of that change makes the requests.
  const hasLeft = typeof because === 'object' && because !== null && 'stage' in because;
  return hasLeft ? [] : actions.filter((approved) => approved.action.id === action);
}

/** Whether the task changed within its stage: then groups with a condition may become needed. */
const isChangeWithin = ({ type, stageTo }: RecordedEvent): boolean =>
  type === 'task.updated' && stageTo === null;

const isConditional = ({ when }: ApprovalGroup): boolean => when !== undefined;

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
  const { key, request, execution, action, user, cause, silent, via } = sourceOf(origin);
  const source = {
    key,
    request,
    ...(execution && { execution }),
    ...(action && { action }),
    user,
    cause,
    silent,
    via,
  };
  for (const { action, judged, loaded } of await readApprovals(tx, new Scope(workflow), task, offered)) {
    // If the task has entered the stage again later, that event makes the requests.
    if (judged.override || (version ?? 0) < loaded.visit) continue;
    const known = isChangeWithin(event)
      ? await groupsAsked(tx, place, action.id, loaded.visit)
      : new Set<string>();
    const isAsked = (group: ApprovalGroup): boolean => {
      if (isChangeWithin(event)) return isConditional(group) && !known.has(group.id);
      return event.type !== 'approval.stale' || isOf(about, group.id);
    };
    for (const { group, need, isComplete, open } of judged.groups)
      if (need !== 'unneeded' && !isComplete && isAsked(group))
        await recordApproval(tx, 'approval.requested', workflow, eventTask(task), source, {
          action: action.id,
          group: group.id,
          open,
        });
  }
}

/** The groups of an action that were requested during this visit of the stage. */
async function groupsAsked(
  tx: EntityManager,
  { workspaceId, taskId }: { readonly workspaceId: number; readonly taskId: string },
  action: string,
  visit: number,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ group: string }>(tx, asked, [workspaceId, taskId, visit, action]);
  return new Set(rows.map(({ group }) => group));
}

const asked = {
  name: 'approval-groups-asked',
  text: `
    SELECT DISTINCT about ->> 'group' AS "group" FROM events
    WHERE workspace_id = $1 AND task_id = $2 AND type = 'approval.requested' AND version >= $3 AND about ->> 'action' = $4`,
};

/** The event of an override concerns all groups. */
function isOf(about: RecordedEvent['about'], group: string): boolean {
  return about?.['group'] == null || about['group'] === group;
}
