import { type EntityManager } from 'typeorm';
import { deleteLockedTasks, loadTask } from '../tasks/store/task.repository.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { actionOf, findUnmet, messagesOf } from '../actions/action.js';
import { approvalsOf } from '../actions/requirements/approvals/approval-group.js';
import { changeOfGiven, expressionsOfGiven } from '../actions/asked-values.js';
import { causeOf, Failure, notBegun, reasonOfFailure, taskAfter } from '../actions/step.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { expressionsOfStep } from '../actions/step-types.js';
import { type Expression } from '../workflows/expressions/expression.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type Claimed } from './claims.repository.js';
import { compileInTurns } from '../actions/linked-reads.js';
import { readContext } from '../actions/read-context.js';
import { type ActionContext } from '../actions/action-context.js';
import { findLinksOf } from '../tasks/links/find-links.js';
import { pauses } from '../../packages/fair/turn.js';
import { endLinks } from '../tasks/links/replace-links.js';
import { type Scope } from '../workflows/model/scope.js';
import { say } from '../common/message.js';

/** The context in which an execution begins. */
export interface ClaimedContext {
  readonly context: ActionContext;
  /** The change that the given values make; the context includes it already. */
  readonly change: TaskChange;
}

/** Returns the context of the task, if the present definition allows the action; throws a `Failure` otherwise. */
export async function validateClaimed(
  db: EntityManager,
  scope: Scope,
  claimed: Claimed,
  task: TaskRow,
): Promise<ClaimedContext> {
  const { actionId, actionName, performerId, steps, startedAt, given } = claimed;
  const action = await actionOf(scope, actionId);
  if (!action)
    throw new Failure([say`${actionName} is not an action of this workflow any more`], notBegun(steps));
  const performer = performerId === null ? undefined : scope.workflow.schema.users.get(performerId);
  const read = await readContext(db, scope, task, {
    performer,
    actions: [action],
    expressions: await expressionsOf(scope, claimed),
    now: startedAt,
  });
  const change = await orNotBegun(() => changeOfGiven(read, action, given), steps);
  const context = { ...read, task: taskAfter(task, change) };
  const unmet = findUnmet(action, context);
  if (unmet.length > 0) throw new Failure(messagesOf(unmet), notBegun(steps));
  return { context, change };
}

/** Throws a `Failure` if a call must not be made any more: an earlier one may have taken minutes. */
export async function requireApproved(db: EntityManager, scope: Scope, claimed: Claimed): Promise<void> {
  if (approvalsOf(scope.workflow, claimed.actionId))
    await validateClaimed(db, scope, claimed, await readClaimedTask(db, scope, claimed));
}

async function orNotBegun<T>(work: () => Promise<T>, steps: readonly StepDefinition[]): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOfFailure(error);
    throw reason === undefined ? error : new Failure([reason], notBegun(steps), [causeOf(error)]);
  }
}

/** All expressions of an execution: those of its action's requirements and of its steps. */
export async function evaluated(scope: Scope, claimed: Claimed): Promise<Expression[]> {
  const action = await actionOf(scope, claimed.actionId);
  return [...(action?.expressions ?? []), ...(await expressionsOf(scope, claimed))];
}

function expressionsOf(scope: Scope, { steps, given }: Claimed): Promise<Expression[]> {
  const parts = steps.map((step) => expressionsOfStep(step, scope.workflow));
  return compileInTurns([expressionsOfGiven(given, scope.workflow), ...parts], pauses(scope));
}

/** Reads the task of the execution with its links; throws a `Failure` if it was deleted. */
export async function readClaimedTask(db: EntityManager, scope: Scope, claimed: Claimed): Promise<TaskRow> {
  const task = await loadTask(db, scope, claimed.taskId);
  if (!task) throw taskWasDeleted(claimed);
  return task;
}

export function taskWasDeleted({ steps }: Claimed): Failure {
  return new Failure(['task was deleted'], notBegun(steps));
}

/** Deletes a task. It and all tasks linked to it must be locked. */
export async function deleteTaskWithLinks(tx: EntityManager, scope: Scope, taskId: string): Promise<void> {
  const { workflow } = scope;
  await endLinks(tx, workflow, await findLinksOf(tx, scope, [taskId]));
  await deleteLockedTasks(tx, workflow, [taskId]);
}
