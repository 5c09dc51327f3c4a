import { type ChainLink, sourceOf } from '../../common/origin.js';
import { type RunResult } from '../../common/column-values.js';
import { type ExecutionKey } from '../../executions/executions.repository.js';
import { joined, type Message, say } from '../../common/message.js';
import { causeOfRun, type RunTask, type Starter, type WantedRun } from '../../executions/runs/run.js';
import { recordRun } from '../../executions/runs/runs.repository.js';
import { startRun } from '../../executions/runs/start-run.js';
import { about } from '../../workflows/model/known.js';
import { Scope } from '../../workflows/model/scope.js';
import { type Workflow, findWorkflow, type Workspace } from '../../workflows/model/workspace.js';
import { type Rule } from './compiled-rules.js';
import { limitsOf } from './limits.repository.js';
import { type EventNames } from '../../events/event-names.js';
import { type FollowerTurn } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { recordEvent } from '../../events/record-event.js';
import { type HookSubject } from './hooks/hook-subject.js';
import { type Given, readGiven } from '../../actions/given.js';
import { expressionIfAny, expressionOf } from '../../actions/linked-reads.js';
import { reasonOfFailure } from '../../actions/step.js';
import { isFormula } from '../../actions/step-values.js';
import { taskAtEvent } from '../../events/task-at-event.js';
import { TimeAllowed } from '../../workflows/expressions/time-allowed.js';
import { toJson } from '../../../packages/exact-json/json.js';
import { blankTask } from '../../workflows/fields/task-view.js';
import { type SetDefinition, type SetValue } from '../../workflows/model/schema-parts.js';
import { fieldIdsOf } from '../../actions/at-event.js';
import { blankTaskIn, evaluatePart } from './judge-event.js';
import { factsOf } from './trigger.js';
import { triggerTypes } from './trigger-types.js';
import { type EntityManager } from 'typeorm';
import { actionOf } from '../../actions/action.js';
import { linkedPage } from '../../tasks/store/linked-tasks.js';

export interface MetRule extends Pick<FollowerTurn, 'tx' | 'workspace'> {
  readonly names: EventNames;
  readonly event: RecordedEvent;
  readonly workflow: Workflow;
  readonly rule: Rule;
  readonly hook?: HookSubject | undefined;
  readonly because: Message;
  readonly isPaused: boolean;
}

/** A longer chain of rules counts as a loop. */
const MAX_CHAIN = 10;

/** Records the runs of a rule for an event and inserts their executions. Returns these executions. */
export async function followRule(met: MetRule): Promise<ExecutionKey[]> {
  const { tx, workspace, workflow, rule, event } = met;
  const { taskId, publicId, uniqueValue } = event;
  if (taskId === null || publicId === null) return [];
  const task = { workflowId: workflow.id, taskId, publicId, uniqueValue };
  const chain = [...chainOf(met), linkOf(met)];
  const { targets, isCut } = await targetsOf(tx, workspace, new Scope(workflow), rule, task);
  // If tasks were left out, records a failed run on the event's task, so that users notice.
  const rest = say`${rule.definition.of ?? ''} has more than ${MAX_LINKED} tasks, so some were left out`;
  if (isCut) await refuse(met, ['failed', rest], { task, chain });
  const executions: ExecutionKey[] = [];
  for (const target of targets) {
    const execution = await startOn(met, target, chain);
    if (execution) executions.push(execution);
  }
  return executions;
}

async function startOn(
  met: MetRule,
  target: RuleTarget,
  chain: readonly ChainLink[],
): Promise<ExecutionKey | undefined> {
  const { task } = target;
  const given = await givenByRule(met, target);
  const refusal =
    'because' in given ? (['failed', given.because] as const) : await refusalOf(met, task, chain);
  if (!refusal) return startRun(met.tx, { ...runOf(met), ...target, ...given, chain, because: met.because });
  await refuse(met, refusal, { task, chain, ...given });
  return undefined;
}

/** Why a run starts nothing or has to wait. `isTold` means that an event already reports the throttling. */
export type RefusedRun = readonly [result: RunResult, because: Message, isTold?: boolean];

async function refusalOf(
  met: MetRule,
  { taskId }: RunTask,
  chain: readonly ChainLink[],
): Promise<RefusedRun | undefined> {
  const { tx, event, rule, isPaused, because } = met;
  const { starter, isCaused } = runOf(met);
  if (isPaused) return ['silenced', 'the rule is paused'];
  if (sourceOf(event.origin).silent === true) return ['silenced', 'the change was made silently'];
  if (isLoop(chain.slice(0, -1), linkOf(met))) return ['loop', loopOf(chain)];
  const { isThrottled, isTold, mustWait } = await limitsOf(tx, starter, { taskId, isCaused }, rule);
  const perTask = rule.definition.limit?.per_task ?? '10 per hour';
  if (isThrottled) return ['throttled', say`more than ${perTask} on this task`, isTold];
  return mustWait ? ['waiting', because] : undefined;
}

interface RefusedOn {
  readonly task?: RunTask;
  readonly chain: readonly ChainLink[];
  readonly given?: Given | null;
}

/**
 * Records a run that starts nothing or has to wait. For a loop or throttling, also records an event, unless
 * `isTold` is true.
 */
export async function refuse(
  met: MetRule,
  [result, because, isTold = false]: RefusedRun,
  on: RefusedOn,
): Promise<void> {
  const { tx, event, rule } = met;
  const run = { ...runOf(met), ...on };
  const { workspaceId, workflowId, starterId } = run.starter;
  const place = await recordRun(tx, { ...run, actionId: rule.definition.run, result, because });
  if (place === undefined || isTold || (result !== 'loop' && result !== 'throttled')) return;
  const told = { rule: starterId, ...(result === 'loop' && { chain: run.chain }) };
  await recordEvent(tx, {
    workspaceId,
    type: `rule.${result}`,
    task: event,
    workflowId,
    origin: { cause: causeOfRun(run) },
    about: told,
  });
}

/** The values that all runs of a rule for one event share. */
function runOf({ event, workflow, rule }: MetRule) {
  const { cause, user } = sourceOf(event.origin);
  return {
    starter: starterOf(workflow, rule),
    eventId: event.id,
    isCaused: cause?.kind === 'rule',
    initiator: cause ? cause.initiator : user,
  };
}

export function starterOf(workflow: Workflow, { definition }: Rule): Starter {
  const performer = definition.as === undefined ? undefined : workflow.schema.users.find(definition.as);
  const { workspaceId, id: workflowId } = workflow;
  return { workspaceId, kind: 'rule', workflowId, starterId: definition.id, performer };
}

const chainOf = ({ event }: Pick<MetRule, 'event'>): readonly ChainLink[] =>
  sourceOf(event.origin).cause?.chain ?? [];

const linkOf = ({ event, workflow, rule }: MetRule): ChainLink => ({
  rule: rule.definition.id,
  workflow: workflow.id,
  task: event.publicId ?? '',
});

function isLoop(chain: readonly ChainLink[], { rule, task }: ChainLink): boolean {
  return chain.length >= MAX_CHAIN || chain.some((link) => link.rule === rule && link.task === task);
}

/** Lists the rules of a chain, each with its workflow. */
function loopOf(chain: readonly ChainLink[]): Message {
  const rules = chain.map(({ rule, workflow }) => about(workflow, say`${rule}`));
  return say`the chain is ${joined(rules, ' → ')}`;
}

/**
 * Computes the input that a rule gives to its action, from the values at the time of the event. If this
 * fails, returns the reason.
 */
async function givenByRule(
  met: MetRule,
  { scope, action }: RuleTarget,
): Promise<{ readonly given: Given | null } | { readonly because: Message }> {
  const { fields } = met.rule.definition;
  if (!fields && action.asked.length === 0) return { given: null };
  try {
    const values = new Map(
      Object.entries(await valuesAtEvent(met, fields ?? {})).map(([name, value]) => [name, toJson(value)]),
    );
    return { given: await readGiven(scope, action, values, blankTask) };
  } catch (error) {
    const because = reasonOfFailure(error);
    if (because === undefined) throw error;
    return { because };
  }
}

async function valuesAtEvent(
  { tx, workspace, event, workflow, rule, names, hook }: MetRule,
  fields: SetDefinition,
): Promise<Record<string, unknown>> {
  const facts = factsOf(triggerTypes.get(rule.definition.on));
  const { schema } = workflow;
  const read = Object.values(fields).flatMap((value) => {
    const expression = isFormula(value)
      ? expressionIfAny(schema, value.expression, 'before', facts)
      : undefined;
    return expression ? fieldIdsOf(workflow, expression) : [];
  });
  const task = (await taskAtEvent(tx, workspace.id, event, [...new Set(read)])) ?? blankTaskIn(workflow);
  const timeAllowed = new TimeAllowed();
  const valueOf = (value: SetValue): unknown => {
    if (!isFormula(value)) return value;
    const expression = expressionOf(schema, value.expression, 'before', facts);
    const judged = { event, workflow, names, hook };
    return evaluatePart({ source: value.expression, expression }, judged, task, timeAllowed);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, valueOf(value)]));
}

/** An action and the task on which a rule starts it. */
type RuleTarget = Pick<WantedRun, 'scope' | 'action' | 'task'>;

/** An event starts an action on at most this many linked tasks. */
const MAX_LINKED = 100;

/**
 * Returns the task itself or, if the rule has `of`, at most MAX_LINKED tasks that are linked to the task.
 * `isCut` is true if more tasks are linked.
 */
async function targetsOf(
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
