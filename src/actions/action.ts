import {
  type ActionDefinition,
  type ActionField,
  isStartedByRules,
  type StepDefinition,
} from '../workflows/model/action-definition.js';
import { onTask, sees } from '../workflows/model/allowed.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type Unmet } from './requirement.js';
import { type CompiledRequirement, compileRequirements, wantedRequirements } from './requirement-types.js';
import { type Expression } from '../workflows/expressions/expression.js';
import { compileInTurns } from './linked-reads.js';
import { type Pause, pauses } from '../../packages/fair/turn.js';
import { type User } from '../workflows/fields/field-type.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { type ActionContext } from './action-context.js';
import { type Scope } from '../workflows/model/scope.js';
import { joined, type Message, say, sentence } from '../common/message.js';

export interface Action {
  readonly id: string;
  readonly name: string;
  /** The names of the stages in which the action is available; empty for all stages. */
  readonly stages: readonly string[];
  /** The ids of `stages`; null for all stages. */
  readonly stageIds: readonly number[] | null;
  readonly requirements: readonly CompiledRequirement[];
  readonly expressions: readonly Expression[];
  readonly steps: readonly StepDefinition[];
  readonly asked: readonly ActionField[];
  /** Whether only rules, clocks, schedules and timers can start the action. */
  readonly isByRules: boolean;
  /** The questions that people must confirm before the action begins. */
  readonly questions: readonly string[];
}

export async function actionsOf(scope: Scope): Promise<readonly Action[]> {
  const actions: Action[] = [];
  const pause = pauses(scope);
  for (const action of scope.workflow.actions) {
    await pause();
    actions.push(await compileOnce(scope.workflow, action, pause));
  }
  return actions;
}

export async function actionOf(scope: Scope, actionId: string): Promise<Action | undefined> {
  const action = scope.workflow.actions.find(({ id }) => id === actionId);
  return action && compileOnce(scope.workflow, action, pauses(scope));
}

async function compileOnce(workflow: Workflow, action: ActionDefinition, pause: Pause): Promise<Action> {
  const known = compiled.get(workflow.actions) ?? new Map<string, Action>();
  compiled.set(workflow.actions, known);
  const made = known.get(action.id) ?? (await compile(workflow, action, pause));
  known.set(action.id, made);
  return made;
}

const compiled = new WeakMap<Workflow['actions'], Map<string, Action>>();

async function compile({ schema }: Workflow, action: ActionDefinition, pause: Pause): Promise<Action> {
  const { id, name, stages, requirements, steps } = action;
  const known = schema.stages.all.filter((stage) => stages.includes(stage.name));
  const stageIds = stages.length === 0 ? null : known.map((stage) => stage.id);
  const wanted = wantedRequirements(requirements);
  const evaluated = wanted.map(([, type, settings]) => type.expressions?.(settings, schema) ?? []);
  const expressions = await compileInTurns(evaluated, pause);
  return {
    id,
    name,
    stages,
    stageIds,
    requirements: compileRequirements(requirements, schema, id),
    expressions,
    steps,
    asked: action.fields ?? [],
    isByRules: isStartedByRules(action),
    questions: wanted.flatMap(([, type, settings]) => type.question?.(settings) ?? []),
  };
}

/** Returns why the action cannot begin. Checks the stage first, then the performer, then all requirements. */
export function findUnmet(action: Action, context: ActionContext): readonly Unmet[] {
  const { scope, task, performer } = context;
  const stage = scope.workflow.schema.stages.get(task.stageId).name;
  if (!isAvailable(action, stage))
    return [{ message: say`${action.name} is not available in stage ${stage}`, about: 'Stage' }];
  if (performer?.active === false)
    return [{ message: say`${performer.email} is deactivated`, isOfRole: true }];
  if (performer && !action.isByRules && !mayPerform(scope.workflow, performer, action, task))
    return [{ message: mayNot(scope.workflow, performer, action), isOfRole: true }];
  return action.requirements.flatMap(({ type, unmet }) => unmet(context, context.loaded.get(type)));
}

function mayNot({ id, permissions, schema }: Workflow, { id: userId, email }: User, action: Action): Message {
  const roles = permissions.rolesFor(id, action.id);
  if (roles.some(([, holders]) => holders.includes(userId)))
    return say`${email} may not perform ${action.name}: their role sees only tasks that are assigned to them`;
  if (roles.length === 0) return say`${email} may not perform ${action.name}: no role may`;
  const told = roles.map(([{ name }, holders]) => {
    const emails = holders.slice(0, MOST_NAMED).flatMap((holder) => schema.users.get(holder)?.email ?? []);
    const names = emails.length === 0 ? sentence('nobody') : emails.join(', ');
    const more = holders.length - MOST_NAMED;
    return more > 0 ? say`${name} (${names} and ${more} more)` : say`${name} (${names})`;
  });
  return say`${email} may not perform ${action.name}: ${joined(told, ', ')} may`;
}

const MOST_NAMED = 3;

export function messagesOf(unmet: readonly Unmet[]): Message[] {
  return unmet.map(({ message }) => message);
}

export function isAvailable({ stages }: Pick<Action, 'stages'>, stage: string): boolean {
  return stages.length === 0 || stages.includes(stage);
}

/**
 * Whether the user sees the task. If the workflow has roles, a role of the user must also permit the action.
 */
export function mayPerform(
  { id: workflowId, permissions: roles }: Workflow,
  user: User,
  { id }: Pick<Action, 'id'>,
  task: TaskView,
): boolean {
  const permissions = roles.permissionsOf(user.id, workflowId);
  const { actions } = onTask(permissions, user.id, task);
  return (actions === 'all' || actions.includes(id)) && sees(permissions, user.id, task);
}
