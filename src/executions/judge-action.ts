import { type User } from '../schema/field-type.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Action } from './actions.js';
import { type Situation } from './situation.js';

/**
 * What stands in the way of an action, a message for each thing; nothing when it may begin. The same for the list of
 * actions, the answer of a POST and the judgement before the change is applied.
 */
export function judgeAction(action: Action, situation: Situation): readonly string[] {
  const { workflow, task, performer } = situation;
  const stage = workflow.schema.stages.get(task.stageId).name;
  if (!isAvailable(action, stage)) return [`${action.name} is not available in stage ${stage}`];
  if (performer && !mayPerform(workflow, performer, action, task))
    return [`${performer.email} may not perform ${action.name}`];
  return action.requirements.flatMap((requirement) => requirement(situation));
}

/** Whether an action can be done in this stage, whatever else it requires. */
export function isAvailable({ stages }: Action, stage: string): boolean {
  return stages.length === 0 || stages.includes(stage);
}

/** Whether the user holds a role that has the action and sees the task; where there are no roles, everybody may. */
export function mayPerform(
  { roles, members }: Workflow,
  user: User,
  { id }: Action,
  task: TaskView,
): boolean {
  if (!user.active) return false;
  if (roles.length === 0) return true;
  const roleId = members.find(({ userId }) => userId === user.id)?.roleId;
  const role = roles.find((role) => role.id === roleId);
  if (!role || (!role.isAdmin && !role.actions.includes(id))) return false;
  return role.sees === 'all' || task.assigneeId === user.id;
}
