import { type ActionEntity } from '../entities/action.entity.js';
import { sees } from '../workspace/allowed.js';
import { type Workflow } from '../workspace/workspace.js';
import { type Requirement } from './requirement.js';
import { compileRequirements, wantedRequirements } from './requirement-types.js';
import { type Expression } from '../expressions/expression.js';
import { type User } from '../schema/field-type.js';
import { type TaskView } from '../schema/task-view.js';
import { type ActionContext } from './action-context.js';

/** Something that can be done with the tasks of a workflow. */
export interface Action {
  readonly id: string;
  readonly name: string;
  /** The names of the stages where it is available; none means everywhere. */
  readonly stages: readonly string[];
  /** Their ids; null means everywhere. */
  readonly stageIds: readonly number[] | null;
  readonly requirements: readonly Requirement[];
  /** Whether the checklist is among them, which takes a look at more than the task. */
  readonly asksForChecklist: boolean;
  /** What the requirements evaluate. */
  readonly expressions: readonly Expression[];
  readonly steps: readonly unknown[];
}

/** The actions of a workflow in the order of its definition, compiled once. */
export function actionsOf(workflow: Workflow): readonly Action[] {
  const known = compiled.get(workflow.actions) ?? workflow.actions.map((action) => compile(workflow, action));
  compiled.set(workflow.actions, known);
  return known;
}

const compiled = new WeakMap<Workflow['actions'], readonly Action[]>();

function compile({ schema }: Workflow, { id, name, stages, requirements, steps }: ActionEntity): Action {
  const known = schema.stages.all.filter((stage) => stages.includes(stage.name));
  const stageIds = stages.length === 0 ? null : known.map((stage) => stage.id);
  const wanted = wantedRequirements(requirements);
  return {
    id,
    name,
    stages,
    stageIds,
    requirements: compileRequirements(requirements, schema),
    asksForChecklist: wanted.some(([, type]) => type.asksForChecklist),
    expressions: wanted.flatMap(([, type, settings]) => type.expressions?.(settings, schema) ?? []),
    steps,
  };
}

/**
 * What stands in the way of an action, a message for each thing; nothing when it may begin. One function for the list of
 * actions, the answer of a POST and the check before the change is applied.
 */
export function findUnmet(action: Action, context: ActionContext): readonly string[] {
  const { workflow, task, performer } = context;
  const stage = workflow.schema.stages.get(task.stageId).name;
  if (!isAvailable(action, stage)) return [`${action.name} is not available in stage ${stage}`];
  if (performer && !mayPerform(workflow, performer, action, task))
    return [`${performer.email} may not perform ${action.name}`];
  return action.requirements.flatMap((requirement) => requirement(context));
}

/** Whether an action can be done in this stage, whatever else it requires. */
export function isAvailable({ stages }: Action, stage: string): boolean {
  return stages.length === 0 || stages.includes(stage);
}

/** Whether the user holds a role that has the action and sees the task; where there are no roles, everybody may. */
export function mayPerform(
  { id: workflowId, permissions: roles }: Workflow,
  user: User,
  { id }: Action,
  task: TaskView,
): boolean {
  const permissions = roles.permissionsOf(user.id, workflowId);
  const hasAction = permissions.actions === 'all' || permissions.actions.includes(id);
  return hasAction && sees(permissions, user.id, task);
}
