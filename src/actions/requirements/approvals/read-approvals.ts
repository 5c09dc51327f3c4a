import { type EntityManager } from 'typeorm';
import { readContext } from '../../read-context.js';
import { type ApprovalPlan } from './approval-group.js';
import { loadApprovals, type LoadedApprovals } from './approvals.repository.js';
import { type JudgedApprovals, judgeAction } from './judge-approvals.js';
import { type TaskRow } from '../../../tasks/store/task-row.js';
import { type Scope } from '../../../workflows/model/scope.js';

/** The judged approvals of an action, with its task. */
export interface ReadApprovals extends JudgedApprovals {
  readonly task: TaskRow;
}

/** Reads and judges the approvals of these actions on a task; empty if the task has been deleted. */
export async function readApprovals(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  plans: readonly ApprovalPlan[],
): Promise<ReadApprovals[]> {
  const loaded = await loadApprovals(db, scope.workflow, [task.id], plans);
  return judgeLoaded(db, scope, task, plans, loaded.get(task.id));
}

export async function judgeLoaded(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  plans: readonly ApprovalPlan[],
  loaded: LoadedApprovals | undefined,
): Promise<ReadApprovals[]> {
  if (!loaded) return [];
  const conditions = plans.flatMap(({ groups }) => groups.map(({ when }) => when));
  const expressions = conditions.flatMap((when) => (when === undefined || when === 'broken' ? [] : [when]));
  const context = await readContext(db, scope, task, { performer: undefined, actions: [], expressions });
  return plans.map((plan) => ({ ...judgeAction(plan, context, loaded), task }));
}

/** Returns the ids of the fields that determine whether groups are needed and who may approve. */
export function fieldsRead(plans: readonly ApprovalPlan[]): string[] {
  return [...new Set(plans.flatMap(({ groups }) => groups.flatMap(({ reads }) => reads)))];
}
