import { type TaskView } from '../fields/task-view.js';
import { Refusal } from '../../common/errors.js';
import { CHECKLIST, mayWriteKey } from './narrowing.js';
import { type Permissions, unionOf } from './roles.js';
import { type Scope } from './scope.js';
import { type Message } from '../../common/message.js';

// This file decides what a viewer may do with a task that the viewer sees. Queries do not find tasks that the
// viewer does not see (`tasks/store/seen.ts`).

type Assigned = Pick<TaskView, 'assigneeId'>;

export const mayCreate = ({ bound }: Scope): boolean => !bound || bound.permissions.creates;

/** Whether the viewer may edit this task: its fields, assignee, files, links, checklist and comments. */
export const mayEdit = ({ bound }: Scope, task: Assigned): boolean =>
  !bound || edits(bound.permissions, bound.userId, task);

/** Whether the viewer may edit at least the tasks that are assigned to the viewer. */
export const mayEditSome = (scope: Scope): boolean =>
  mayEdit(scope, { assigneeId: scope.viewer?.userId ?? null });

/**
 * Whether the viewer may move this task to any stage without an action. Without a task: whether the viewer
 * may choose the stage of a new task.
 */
export const mayMove = ({ bound }: Scope, task: Assigned | undefined): boolean =>
  !bound || (task ? onTask(bound.permissions, bound.userId, task) : bound.permissions).moves !== 'by_actions';

/** Whether the viewer may delete this task. Without a task: whether the viewer may delete tasks at all. */
export const mayDelete = ({ bound }: Scope, task?: Assigned): boolean =>
  !bound || (task ? onTask(bound.permissions, bound.userId, task) : bound.permissions).deletes;

/** Throws (403) unless the viewer may create tasks. */
export function requireCreates(scope: Scope): void {
  if (!mayCreate(scope)) throw forbidden('Your role cannot create tasks in this workflow.');
}

export function requireEdits(scope: Scope, task: Assigned): void {
  if (!mayEdit(scope, task)) throw forbidden(whyNoEdits(scope));
}

/** Why the viewer may not edit a task. */
export const whyNoEdits = ({ bound }: Scope): Message =>
  bound?.permissions.edits === 'none'
    ? 'Your role cannot edit tasks of this workflow.'
    : 'Your role can edit only tasks that are assigned to you.';

export function requireMoves(scope: Scope, task: Assigned | undefined): void {
  if (!mayMove(scope, task)) throw forbidden(byActionsOnly);
}

export const byActionsOnly: Message = 'Your role can move tasks to another stage only by actions.';

export function requireDeletes(scope: Scope, task?: Assigned): void {
  if (scope.viewer?.narrowing) throw forbidden('A narrowed key cannot delete tasks.');
  if (!mayDelete(scope, task)) throw forbidden('Your role cannot delete tasks of this workflow.');
}

/** Throws (403) for an API key that is limited to certain fields and may not tick checklist items. */
export function requireTicks({ viewer, workflow }: Scope): void {
  if (!viewer?.narrowing?.fields) return;
  // If the workflow has a field `Checklist`, a key that may write `Checklist` may write this field, but not
  // tick items.
  if (!mayWriteKey(viewer.narrowing, CHECKLIST) || workflow.schema.byName.has(CHECKLIST))
    throw forbidden('This key can change only some fields, and `Checklist` is not one of them.');
}

/** Throws (403) for every API key that is limited to certain fields. */
export function requireAddsOfItems(scope: Scope): void {
  requireTicks(scope);
  if (scope.viewer?.narrowing?.fields)
    throw forbidden('This key can tick the items of a checklist, but cannot add or remove items.');
}

/** A task at the other end of a link, possibly in another workflow. */
export interface LinkedEnd extends Assigned {
  readonly workflowId: number;
}

/** Whether the viewer may edit a task at the other end of a link. A change of the link changes both tasks. */
export const mayEditLinked = ({ workflow: { permissions }, viewer }: Scope, task: LinkedEnd): boolean =>
  viewer?.userId === undefined ||
  edits(permissions.permissionsOf(viewer.userId, task.workflowId), viewer.userId, task);

/** Whether the viewer may edit at least the tasks of the other workflow that are assigned to the viewer. */
export const mayLinkTo = (scope: Scope, workflowId: number): boolean =>
  mayEditLinked(scope, { workflowId, assigneeId: scope.viewer?.userId ?? null });

export function requireEditsOfLinked(scope: Scope, tasks: readonly LinkedEnd[]): void {
  if (tasks.every((task) => mayEditLinked(scope, task))) return;
  throw forbidden('A link changes the tasks at both ends, and your role cannot edit both of them.');
}

export function sees({ sees }: Permissions, userId: string, { assigneeId }: Assigned): boolean {
  return sees === 'all' || (sees === 'assigned' && assigneeId === userId);
}

export function edits(permissions: Permissions, userId: string, task: Assigned): boolean {
  const { edits } = onTask(permissions, userId, task);
  return edits === 'all' || (edits === 'assigned' && task.assigneeId === userId);
}

/**
 * The rights of a user on this task. If the user has several roles, a role counts only if it lets the user
 * see this task.
 */
export function onTask(permissions: Permissions, userId: string, task: Assigned): Permissions {
  const { each } = permissions;
  return each ? unionOf(each.filter((one) => sees(one, userId, task))) : permissions;
}

const forbidden = (said: Message): Refusal => new Refusal('forbidden', said);
