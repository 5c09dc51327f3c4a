import { type EntityManager } from 'typeorm';
import { type Action, actionOf } from '../../actions/action.js';
import { type RunTask } from '../../executions/runs/run.js';
import { linkedPage } from '../../tasks/store/linked-tasks.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workspace } from '../../workflows/model/workspace.js';
import { type Rule } from './compiled-rules.js';

/** An action and the task on which a rule starts it. */
export interface RuleTarget {
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
}

/** The most linked tasks on which one event starts an action. */
export const MAX_LINKED = 100;

/** The task itself, or with `of` the tasks linked to it; `isCut` if there are more than the rule starts on. */
export async function targetsOf(
  db: EntityManager,
  workspace: Workspace,
  scope: Scope,
  { definition: { run }, targetId, side }: Rule,
  task: RunTask,
): Promise<{ readonly targets: readonly RuleTarget[]; readonly isCut: boolean }> {
  const workflow = findWorkflow(workspace, targetId);
  const target = workflow && new Scope(workflow, scope.viewer, scope.deadline);
  const action = target && (await actionOf(target, run));
  if (!action) return { targets: [], isCut: false };
  const of = (row: Omit<RunTask, 'workflowId'>): RuleTarget => ({
    scope: target,
    action,
    task: { workflowId: targetId, taskId: row.taskId, publicId: row.publicId, uniqueValue: row.uniqueValue },
  });
  if (side === undefined) return { targets: [of(task)], isCut: false };
  const { rows, next } = await linkedPage(db, scope, task.taskId, side, '0', MAX_LINKED);
  return { targets: rows.map((row) => of({ ...row, taskId: row.id })), isCut: next !== undefined };
}
