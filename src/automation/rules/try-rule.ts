import { evaluateAtEvent } from '../../actions/at-event.js';
import { type EntityManager } from 'typeorm';
import { findUnmet, messagesOf } from '../../actions/action.js';
import { readContext } from '../../actions/read-context.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { type FactValue } from '../../workflows/expressions/expression.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { english, type Message, say, sentence } from '../../common/message.js';
import { findNamedTask, loadTask } from '../../tasks/store/task.repository.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { knownIn, knownTo, unseen } from '../../workflows/model/known.js';
import { noTask } from '../../workflows/model/not-found.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { type Rule } from './compiled-rules.js';
import { type DryRun } from './rule.dto.js';
import { faultOf, uniqueIdIn } from './hooks/hook-subject.js';
import { createOf, taskOf } from './triggers/hook.js';
import { starterOf } from './follow-rule.js';
import { whyFalse } from './judge-event.js';
import { targetsOf } from './rule-targets.js';

export interface RuleTrial {
  readonly rule: Rule;
  /** Absent if the body of a hook selects the task. */
  readonly uniqueId: string | undefined;
  readonly body: FactValue | undefined;
  readonly workspace: Workspace;
  readonly isPaused: boolean;
}

/** What a rule would do with a task now if its trigger matched; stores nothing. */
export async function tryRule(db: EntityManager, scope: Scope, trial: RuleTrial): Promise<DryRun> {
  const { rule, workspace, isPaused } = trial;
  const found = await findTried(db, scope, trial);
  if ('result' in found) return found;
  const { task } = found;
  const known = knownIn(knownTo(workspace, scope.viewer));
  const failed = whenFails(db, trial, scope, task);
  if (failed !== undefined) return { result: null, because: failed, unmet: [] };
  if (isPaused) return { result: 'silenced', because: 'the rule is paused', unmet: [] };
  const { on, run } = rule.definition;
  const isKnown = known(rule.targetId);
  const unmet = isKnown ? await unmetOf(db, scope, trial, task) : [];
  if (unmet.length > 0)
    return { result: 'unavailable', because: 'requirements are not met', unmet: unmet.map(english) };
  return {
    result: 'started',
    because: `${on} of this task starts ${isKnown ? run : english(unseen)}`,
    unmet: [],
  };
}

/** The task that is named, or that the body selects; if there is none, the outcome of the rule. */
async function findTried(
  db: EntityManager,
  scope: Scope,
  { rule, uniqueId, body = null }: RuleTrial,
): Promise<{ readonly task: TaskRow } | DryRun> {
  const given = uniqueId ?? uniqueIdOfBody(scope.workflow, rule, body, serviceTime(db));
  if (typeof given !== 'string') return { ...given, unmet: [] };
  const task = await findNamedTask(db, scope, given);
  if (task) return { task };
  if (uniqueId !== undefined) throw noTask(scope.workflow, uniqueId);
  return createOf(rule.definition)
    ? {
        result: 'started',
        because: `task ${given} is created, and ${rule.definition.run} starts on it`,
        unmet: [],
      }
    : { result: 'unavailable', because: `there is no task ${given}`, unmet: [] };
}

function uniqueIdOfBody(
  workflow: Workflow,
  { definition }: Rule,
  body: FactValue,
  happenedAt: Date,
): string | Pick<DryRun, 'result' | 'because'> {
  try {
    const found = uniqueIdIn(workflow, taskOf(definition) ?? '', body, { happenedAt });
    return found ?? { result: 'unavailable', because: 'the body names no task' };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { result: 'failed', because: english(faultOf(error)) };
  }
}

/** In a dry run nothing has changed: `before` is the task as it is, and there is no actor. */
function whenFails(
  db: EntityManager,
  { rule, body }: RuleTrial,
  { workflow }: Scope,
  task: TaskRow,
): string | undefined {
  const { condition } = rule;
  if (!condition) return undefined;
  const facts = new Map<string, FactValue>(
    ['actor', 'comment', 'item', 'execution'].map((name) => [name, new Map()]),
  ).set('body', body ?? null);
  const at = { workflow, event: { happenedAt: serviceTime(db) }, task: { after: task, before: task }, facts };
  const failed = whyFalse(condition, () => evaluateAtEvent(condition.expression, at));
  return failed && english(failed);
}

async function unmetOf(
  db: EntityManager,
  scope: Scope,
  { rule, workspace }: RuleTrial,
  { id: taskId, publicId, uniqueValue }: TaskRow,
): Promise<Message[]> {
  const { workflow } = scope;
  const tried = { workflowId: workflow.id, taskId, publicId, uniqueValue };
  const { performer } = starterOf(workflow, rule);
  const found: Message[] = [];
  for (const { scope: at, action, task } of (await targetsOf(db, workspace, scope, rule, tried)).targets) {
    const row = await loadTask(db, at, task.taskId);
    if (!row) continue;
    const context = await readContext(db, at, row, { performer, actions: [action] });
    for (const text of messagesOf(findUnmet(action, context)))
      found.push(rule.side === undefined ? text : say`${task.uniqueValue ?? ''}: ${sentence(text)}`);
  }
  return found;
}
