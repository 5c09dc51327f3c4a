import { type EntityManager } from 'typeorm';
import { readContext } from '../actions/read-context.js';
import { approvalsOf, type ApprovalPlan, coveredSides } from '../actions/approvals/approval-group.js';
import { loadApprovals, type LoadedApprovals } from '../actions/approvals/approvals.repository.js';
import { type ApprovalFacts } from '../actions/approvals/eligible.js';
import { type JudgedApprovals } from '../actions/approvals/judge-approvals.js';
import { factsAbout, judgeAction } from '../actions/approvals/judge-action.js';
import { type ActionEntity } from '../entities/action.entity.js';
import { type TaskRow } from '../task-store/task-row.js';
import { type Scope } from '../workspace/scope.js';
import { type Workflow } from '../workspace/workspace.js';

/** An action that needs approvals. */
export interface ApprovedAction {
  readonly action: ActionEntity;
  readonly plan: ApprovalPlan;
}

/** What the approvals of an action have come to on a task, and by what they were judged. */
export interface ActionApprovals extends ApprovedAction {
  readonly judged: JudgedApprovals;
  readonly facts: ApprovalFacts;
  readonly loaded: LoadedApprovals;
}

/** The actions of a workflow that need approvals, in the order of its definition. */
export function approvedActions(workflow: Workflow): ApprovedAction[] {
  return workflow.actions.flatMap((action) => {
    const plan = approvalsOf(workflow, action.id);
    return plan ? [{ action, plan }] : [];
  });
}

/** What the approvals of these actions have come to on a task; nothing where it is gone. */
export async function readApprovals(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  actions: readonly ApprovedAction[],
): Promise<ActionApprovals[]> {
  const loaded = (await loadAll(db, scope.workflow, [task.id], actions)).get(task.id);
  return loaded ? judgeLoaded(db, scope, task, actions, loaded) : [];
}

/** What approvals of these actions are judged by, on each of these tasks. */
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

/** The ids of the fields that judging these approvals reads. */
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
