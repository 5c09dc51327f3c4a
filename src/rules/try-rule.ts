import { type EntityManager } from 'typeorm';
import { expressionInput } from '../actions/action-context.js';
import { actionOf, findUnmet, messagesOf } from '../actions/action.js';
import { readContext } from '../actions/read-context.js';
import { serviceTime } from '../database/shared-data-source.js';
import { Allowance } from '../expressions/allowance.js';
import { ExpressionError } from '../expressions/expression-error.js';
import { todayIn } from '../lib/calendar.js';
import { english, say } from '../lib/message.js';
import { linkedPage } from '../task-store/linked-tasks.js';
import { findNamedTask, loadTask } from '../task-store/task.repository.js';
import { type TaskRow } from '../task-store/task-row.js';
import { noTask } from '../workspace/not-found.js';
import { Scope } from '../workspace/scope.js';
import { type Workspace } from '../workspace/workspace.js';
import { type Rule } from './compiled-rules.js';
import { type DryRun } from './rule.dto.js';
import { linkedWorkflow } from './follow-rule.js';

/** A rule that is to be tried on a task. */
interface Trial {
  readonly rule: Rule;
  readonly uniqueId: string;
  readonly workspace: Workspace;
  readonly isPaused: boolean;
}

/** What a rule would do with a task as it is now, if its trigger were met; stores nothing. */
export async function tryRule(
  db: EntityManager,
  scope: Scope,
  { rule, uniqueId, workspace, isPaused }: Trial,
): Promise<DryRun> {
  const task = await findNamedTask(db, scope, uniqueId);
  if (!task) throw noTask(scope.workflow, uniqueId);
  const failed = whenFails(db, rule, scope, task);
  if (failed !== undefined) return { result: null, because: failed, unmet: [] };
  if (isPaused) return { result: 'silenced', because: 'the rule is paused', unmet: [] };
  const unmet = await unmetOf(db, scope, rule, task, workspace);
  if (unmet.length > 0) return { result: 'unavailable', because: 'requirements are not met', unmet };
  return {
    result: 'started',
    because: `${rule.definition.on} of this task starts ${rule.definition.run}`,
    unmet,
  };
}

/** Nothing has happened: `before` is the task as it is, and nobody is the actor. */
function whenFails(
  db: EntityManager,
  { condition, definition: { when = '' } }: Rule,
  scope: Scope,
  task: TaskRow,
): string | undefined {
  if (!condition) return undefined;
  const now = serviceTime(db);
  const context = { scope, task, linked: new Map(), performer: undefined, now, allowance: new Allowance() };
  const today = todayIn(scope.workflow.timezone, now);
  const input = expressionInput({ ...context, today }, condition, { schema: scope.workflow.schema, task });
  const facts = new Map(['actor', 'comment', 'item', 'execution'].map((name) => [name, new Map()]));
  try {
    return condition.evaluate({ ...input, facts }) === true ? undefined : `${when} is not true`;
  } catch (error) {
    if (error instanceof ExpressionError) return `${when} could not be evaluated: ${error.message}`;
    throw error;
  }
}

async function unmetOf(
  db: EntityManager,
  scope: Scope,
  { definition }: Rule,
  task: TaskRow,
  workspace: Workspace,
): Promise<string[]> {
  const { workflow } = scope;
  const performer = definition.as === undefined ? undefined : workflow.schema.users.find(definition.as);
  const link = definition.of === undefined ? undefined : workflow.schema.byName.get(definition.of)?.links;
  const unmetOn = async (at: Scope, row: TaskRow): Promise<string[]> => {
    const action = await actionOf(at, definition.run);
    if (!action) return [`${definition.run} is not an action`];
    const context = await readContext(db, at, row, { performer, actions: [action] });
    return messagesOf(findUnmet(action, context)).map(english);
  };
  if (!link) return unmetOn(scope, task);
  const other = linkedWorkflow(workspace, workflow, link.side);
  if (!other) return [];
  const { rows } = await linkedPage(db, scope, task.id, link.side, '0', 100);
  const at = new Scope(other, scope.viewer, scope.deadline);
  const found: string[] = [];
  for (const { id, uniqueValue } of rows) {
    const row = await loadTask(db, at, id);
    if (row)
      found.push(...(await unmetOn(at, row)).map((text) => english(say`${uniqueValue ?? ''}: ${text}`)));
  }
  return found;
}
