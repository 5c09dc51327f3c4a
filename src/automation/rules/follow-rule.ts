import { type Action, actionOf } from '../../actions/action.js';
import { type ChainLink, sourceOf } from '../../common/origin.js';
import { type ExecutionKey } from '../../executions/executions.repository.js';
import { joined, type Message, say } from '../../common/message.js';
import { type RunTask, type Starter, type WantedRun } from '../../executions/runs/run.js';
import { refuseRun, startRun } from '../../executions/runs/start-run.js';
import { linkedPage } from '../../tasks/store/linked-tasks.js';
import { about } from '../../workflows/model/known.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { type Rule, eventExpression } from './compiled-rules.js';
import { isOverTaskLimit, mustWait } from './limits.repository.js';
import { recordLoop, recordThrottle } from './rule-events.js';
import { type FollowerTurn } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
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

export interface MetRule extends Pick<FollowerTurn, 'tx' | 'workspace' | 'names'> {
  readonly event: RecordedEvent;
  readonly workflow: Workflow;
  readonly rule: Rule;
  readonly hook?: HookSubject | undefined;
  readonly because: Message;
  readonly isPaused: boolean;
}

/** A longer chain of rules counts as a loop. */
export const MAX_CHAIN = 10;
/** The most linked tasks on which one event starts an action. */
const MAX_LINKED = 100;

/** Records the runs for this event and enters their executions; returns those to announce to workers. */
export async function followRule(met: MetRule): Promise<ExecutionKey[]> {
  const { targets, isCut } = await targetsOf(met);
  const executions: ExecutionKey[] = [];
  if (isCut) await tellOfRest(met, targets);
  for (const { scope, action, task } of targets) {
    const execution = await startOn(met, { scope, action, task });
    if (execution) executions.push(execution);
  }
  return executions;
}

interface Targets {
  readonly targets: readonly Target[];
  readonly isCut: boolean;
}

const none: Targets = { targets: [], isCut: false };

interface Target {
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
}

async function targetsOf({
  tx,
  workspace,
  event,
  workflow,
  rule: { definition },
}: MetRule): Promise<Targets> {
  const { taskId, publicId, uniqueValue } = event;
  if (taskId === null || publicId === null) return none;
  const side = sideOf(workflow, definition.of);
  const own = new Scope(workflow);
  if (side === undefined) {
    const action = await actionOf(own, definition.run);
    const task = { workflowId: workflow.id, taskId, publicId, uniqueValue };
    return action ? { targets: [{ scope: own, action, task }], isCut: false } : none;
  }
  const other = linkedWorkflow(workspace, workflow, side);
  if (!other) return none;
  const scope = new Scope(other);
  const action = await actionOf(scope, definition.run);
  if (!action) return none;
  const { rows, next } = await linkedPage(tx, own, taskId, side, '0', MAX_LINKED);
  const targets = rows.map((row) => ({
    scope,
    action,
    task: { workflowId: other.id, taskId: row.id, publicId: row.publicId, uniqueValue: row.uniqueValue },
  }));
  return { targets, isCut: next !== undefined };
}

/** Records on the event's task that the rule skips some linked tasks, so that somebody notices. */
async function tellOfRest(met: MetRule, [target]: readonly Target[]): Promise<void> {
  const { tx, event, workflow, rule } = met;
  const { taskId, publicId, uniqueValue } = event;
  if (!target || taskId === null || publicId === null) return;
  const task = { workflowId: workflow.id, taskId, publicId, uniqueValue };
  const because = say`${rule.definition.of ?? ''} has more tasks than the ${MAX_LINKED} on which it runs`;
  const starter = starterOf(workflow, rule);
  const wanted = { ...target, task, starter, eventId: event.id, isCaused: false, chain: [], because };
  await refuseRun(tx, wanted, 'failed', because);
}

/** The side of a relationship that a rule's `of` names: by the key that tasks show, or by the relationship's id. */
export function sideOf({ schema }: Workflow, of: string | undefined): string | undefined {
  if (of === undefined) return undefined;
  const byId = [...schema.links.values()].find(({ relationshipId }) => relationshipId === of);
  return (schema.byName.get(of)?.links ?? byId)?.side;
}

/** The internal id of the workflow whose action a rule with this `of` starts. */
export function targetOf(workflow: Workflow, of: string | undefined): number {
  const side = sideOf(workflow, of);
  return side === undefined ? workflow.id : (workflow.schema.links.get(side)?.otherWorkflowId ?? workflow.id);
}

export function linkedWorkflow(
  workspace: Workspace,
  { schema }: Workflow,
  side: string,
): Workflow | undefined {
  return findWorkflow(workspace, schema.links.get(side)?.otherWorkflowId);
}

async function startOn(met: MetRule, target: Target): Promise<ExecutionKey | undefined> {
  const { tx, event, workflow, rule, isPaused, because } = met;
  const { cause, silent, user } = sourceOf(event.origin);
  const link: ChainLink = { rule: rule.definition.id, workflow: workflow.id, task: event.publicId ?? '' };
  const chain = cause?.chain ?? [];
  const starter = starterOf(workflow, rule);
  const isCaused = cause?.kind === 'rule';
  const given = await givenByRule(met, target);
  const wanted: WantedRun = {
    ...target,
    ...('given' in given && given),
    starter,
    eventId: event.id,
    isCaused,
    chain: [...chain, link],
    initiator: cause ? cause.initiator : user,
    because,
  };
  if ('because' in given) return refused(wanted, 'failed', given.because);
  if (isPaused) return refused(wanted, 'silenced', 'the rule is paused');
  if (silent === true) return refused(wanted, 'silenced', 'the change was made silently');
  if (isLoop(chain, link)) {
    if (await refuseRun(tx, wanted, 'loop', loopOf(wanted.chain)))
      await recordLoop(tx, starter, event, wanted.chain);
    return undefined;
  }
  if (isCaused && (await isOverTaskLimit(tx, starter, target.task.taskId, rule.perTask))) {
    const place = await refuseRun(
      tx,
      wanted,
      'throttled',
      say`more than ${rule.definition.limit?.per_task ?? '10 per hour'} on this task`,
    );
    if (place) await recordThrottle(tx, starter, event, rule.perTask);
    return undefined;
  }
  if (await mustWait(tx, starter, rule.perRule)) return refused(wanted, 'waiting', because);
  return startRun(tx, wanted);

  async function refused(
    run: WantedRun,
    result: 'silenced' | 'waiting' | 'failed',
    why: Message,
  ): Promise<undefined> {
    await refuseRun(tx, run, result, why);
    return undefined;
  }
}

export function starterOf(workflow: Workflow, { definition }: Rule): Starter {
  const performer = definition.as === undefined ? undefined : workflow.schema.users.find(definition.as);
  const { workspaceId, id: workflowId } = workflow;
  return { workspaceId, kind: 'rule', workflowId, starterId: definition.id, performer };
}

function isLoop(chain: readonly ChainLink[], { rule, task }: ChainLink): boolean {
  return chain.length >= MAX_CHAIN || chain.some((link) => link.rule === rule && link.task === task);
}

/** The names of the rules in a chain. Each part is marked with its rule's workflow. */
export function loopOf(chain: readonly ChainLink[]): Message {
  const rules = chain.map(({ rule, workflow }) => about(workflow, say`${rule}`));
  return say`the chain is ${joined(rules, ' → ')}`;
}

/** The values that a rule gives to its action, from the task as the event left it; or why it cannot. */
async function givenByRule(
  met: MetRule,
  { scope, action }: Target,
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
    return evaluatePart(eventExpression(value.expression, expression), judged, task, timeAllowed);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, valueOf(value)]));
}
