import { type TaskEntity } from '../entities/task.entity.js';
import { Refusal } from '../lib/errors.js';
import { type Permissions } from './roles.js';
import { type Workflow } from './workspace.js';

// What a user may do with tasks that they see. What they do not see is not found in the first place (`task-store/seen`).

type Assigned = Pick<TaskEntity, 'assigneeId'>;

/** Throws (403) unless the viewer of the workflow may create tasks. */
export function requireCreates({ bound }: Workflow): void {
  if (bound && !bound.permissions.creates)
    throw forbidden('Your role does not create tasks of this workflow.');
}

/** Throws (403) unless they may edit this task: its fields, assignee, files, links, checklist and comments. */
export function requireEdits({ bound }: Workflow, task: Assigned): void {
  if (!bound || mayEdit(bound.permissions, bound.userId, task)) return;
  throw forbidden(
    bound.permissions.edits === 'none'
      ? 'Your role does not edit tasks of this workflow.'
      : 'Your role edits only tasks that are assigned to you.',
  );
}

/** Throws (403) unless they may move tasks to another stage by hand. */
export function requireMoves({ bound }: Workflow): void {
  if (bound?.permissions.moves === 'by_actions')
    throw forbidden('Your role moves tasks to another stage by actions only.');
}

/** Throws (403) unless they may delete tasks. */
export function requireDeletes({ bound }: Workflow): void {
  if (bound && !bound.permissions.deletes)
    throw forbidden('Your role does not delete tasks of this workflow.');
}

/** Whether a user with these permissions sees the task. */
export function maySee({ sees }: Permissions, userId: string, { assigneeId }: Assigned): boolean {
  return sees === 'all' || (sees === 'assigned' && assigneeId === userId);
}

/** Whether they may edit one that they see. */
export function mayEdit({ edits }: Permissions, userId: string, { assigneeId }: Assigned): boolean {
  return edits === 'all' || (edits === 'assigned' && assigneeId === userId);
}

const forbidden = (detail: string): Refusal => new Refusal('forbidden', detail);
