import { type EntityManager } from 'typeorm';
import { isAvailable } from '../actions/action.js';
import {
  approvedActions,
  type ApprovalGroup,
  type ApprovalPlan,
} from '../actions/requirements/approvals/approval-group.js';
import { type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import {
  fieldsRead,
  type ReadApprovals,
  readApprovals,
} from '../actions/requirements/approvals/read-approvals.js';
import { sql } from '../common/database/sql.js';
import { sourceOf } from '../common/origin.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { type Follower, type FollowerTurn } from '../events/follower.js';
import { findTasksOfIds } from '../tasks/store/task.repository.js';
import { Scope } from '../workflows/model/scope.js';
import { findWorkflow } from '../workflows/model/workspace.js';
import { recordApproval } from './decide.js';

/** Records requests for decisions when a group becomes needed or an approval becomes stale. */
export const approvalsFollower: Follower = {
  name: 'approvals',
  wants: ({ workflows }) =>
    workflows.some(({ actions }) => actions.some(({ requirements }) => 'approvals' in requirements)),
  types: ['task.created', 'task.updated', 'approval.stale'],
  begin: (turn) => Promise.resolve({ follow: (event) => followEvent(turn, event) }),
};

async function followEvent({ tx, workspace }: FollowerTurn, event: RecordedEvent): Promise<void> {
  const workflow = findWorkflow(workspace, event.workflowId);
  const { taskId, version } = event;
  if (!workflow || taskId === null) return;
  const { workspaceId, id: workflowId } = workflow;
  const mayAsk = groupsToAsk(event);
  const plans = approvedActions(workflow).filter((plan) => plan.groups.some((group) => mayAsk(plan, group)));
  if (plans.length === 0) return;
  const [task] = await findTasksOfIds(tx, { workspaceId, workflowId }, [taskId], fieldsRead(plans));
  if (!task) return;
  const stage = workflow.schema.stages.get(task.stageId).name;
  const offered = plans.filter(({ action }) => isAvailable(action, stage));
  for (const approvals of await readApprovals(tx, new Scope(workflow), task, offered)) {
    const { plan, groups, loaded } = approvals;
    // If the task entered its stage after this event, the follower records the requests at the later event.
    if ((version ?? 0) < loaded.visit) continue;
    const known = isChangeWithin(event) ? await groupsAsked(tx, approvals) : [];
    const wanted = groups.filter((group) => mayAsk(plan, group) && !known.includes(group.id));
    await requestDecisions(tx, approvals, wanted, event);
  }
}

/** Records requests for decisions in those groups that are needed and not complete. */
async function requestDecisions(
  tx: EntityManager,
  approvals: ReadApprovals,
  groups: readonly JudgedGroup[],
  event: RecordedEvent,
): Promise<void> {
  const { key, request, execution, action, user, cause, silent, via } = sourceOf(event.origin);
  const source = { key, request, execution, action, user, cause, silent, via };
  for (const { id: group, need, isComplete, open } of groups)
    if (need !== 'unneeded' && !isComplete)
      await recordApproval(tx, 'approval.requested', approvals, source, { group, open });
}

/** Returns a function that tells for which groups the event can lead to requests. */
function groupsToAsk(event: RecordedEvent): (plan: ApprovalPlan, group: ApprovalGroup) => boolean {
  // While the task stays in its stage, only a group with a condition can become needed.
  if (isChangeWithin(event)) return (_, { when }) => when !== undefined;
  if (event.type !== 'approval.stale') return () => event.stageTo !== null;
  const { because, action, group: id } = event.about ?? {};
  // If the task has left its stage, the follower records the requests at the event of the new stage.
  const hasLeft = typeof because === 'object' && because !== null && 'stage' in because;
  return (plan, group) => !hasLeft && plan.action.id === action && group.id === id;
}

const isChangeWithin = ({ type, stageTo }: RecordedEvent): boolean =>
  type === 'task.updated' && stageTo === null;

/** Returns the ids of the action's groups that got a request since the task entered its stage. */
async function groupsAsked(
  tx: EntityManager,
  { workflow: { workspaceId }, task, loaded, plan }: ReadApprovals,
): Promise<string[]> {
  const values = [workspaceId, task.id, loaded.visit, plan.action.id];
  return (await sql<{ group: string }>(tx, asked, values)).map(({ group }) => group);
}

const asked = {
  name: 'approval-groups-asked',
  text: `
    SELECT DISTINCT about ->> 'group' AS "group" FROM events
    WHERE workspace_id = $1 AND task_id = $2 AND type = 'approval.requested' AND version >= $3 AND about ->> 'action' = $4`,
};
