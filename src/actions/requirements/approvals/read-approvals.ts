import { type EntityManager } from 'typeorm';
import { readContext } from '../../read-context.js';
import { approvalsOf, type ApprovalPlan, coveredSides } from './approval-group.js';
import { loadApprovals, type LoadedApprovals } from './approvals.repository.js';
import { type ApprovalFacts } from './who-may-approve.js';
import { type JudgedApprovals, factsAbout, judgeAction } from './judge-approvals.js';
import { type ActionEntity } from '../../../workflows/model/entities/action.entity.js';
import { type TaskRow } from '../../../tasks/store/task-row.js';
import { type Scope } from '../../../workflows/model/scope.js';
import { type Workflow } from '../../../workflows/model/workspace.js';

export interface ApprovedAction {
  readonly action: ActionEntity;
  readonly plan: ApprovalPlan;
}

export interface ActionApprovals extends ApprovedAction {
  readonly judged: JudgedApprovals;
  readonly facts: ApprovalFacts;
  readonly loaded: LoadedApprovals;
}

export function approvedActions(workflow: Workflow): ApprovedAction[] {
  return workflow.actions.flatMap((action) => {
    const plan = approvalsOf(workflow, action.id);
    return plan ? [{ action, plan }] : [];
  });
}

/** Reads and judges the approvals of these actions on a task; empty if the task no longer exists. */
export async function readApprovals(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  actions: readonly ApprovedAction[],
): Promise<ActionApprovals[]> {
  const loaded = (await loadAll(db, scope.workflow, [task.id], actions)).get(task.id);
  return loaded ? judgeLoaded(db, scope, task, actions, loaded) : [];
}

export async function loadAll(
  db: EntityManager,
  workflow: Workflow,
  taskIds: readonly string[],
  actions: readonly ApprovedAction[],
): Promise<ReadonlyMap<string, LoadedApprovals>> {
  const groups = actions.flatMap(({ plan }) => plan.groups);
  const sides = coveredSides(groups.filter(({ not }) => not.has('editors')));
  const actionIds = actions.map(({ action }) => action.id);
  return loadApprovals(db, { workflow, taskIds, actionIds, sides });
}

export async function judgeLoaded(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  actions: readonly ApprovedAction[],
  loaded: LoadedApprovals,
): Promise<ActionApprovals[]> {
  const groups = actions.flatMap(({ plan }) => plan.groups);
  const expressions = groups.flatMap(({ when }) => when?.expression ?? []);
  const question = { performer: undefined, actions: [], expressions };
  const context = await readContext(db, scope, task, question);
  return actions.map(({ action, plan }) => ({
    action,
    plan,
    loaded,
    judged: judgeAction(plan, action.id, context, loaded),
    facts: factsAbout(action.id, context, loaded),
  }));
}

export function fieldsRead({ schema }: Workflow, actions: readonly ApprovedAction[]): string[] {
  const ids = actions.flatMap(({ plan }) =>
    plan.groups.flatMap(({ fieldId, notFields, when }) => [
      ...(fieldId === undefined ? [] : [fieldId]),
      ...notFields.keys(),
      ...[...(when?.expression?.fields ?? [])].flatMap((name) => schema.byName.get(name)?.fieldId ?? []),
    ]),
  );
  return [...new Set(ids)];
}

/** The ids of the users who may decide on an action of a task and have not yet done so. */
export async function openIdsOf(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  actionId: string,
): Promise<readonly string[]> {
  const actions = approvedActions(scope.workflow).filter(({ action }) => action.id === actionId);
  const [approvals] = await readApprovals(db, scope, task, actions);
  const groups = approvals?.judged.groups ?? [];
  return [...new Set(groups.filter(({ isComplete }) => !isComplete).flatMap(({ open }) => open))];
}
