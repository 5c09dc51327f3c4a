import { type EntityManager } from 'typeorm';
import { type Action, actionOf, findUnmet, messagesOf } from '../actions/action.js';
import { type ActionContext } from '../actions/action-context.js';
import { changeOfGiven, expressionsOfGiven, readsOf } from '../actions/step-values.js';
import { type EffectAnswer } from '../actions/effect.js';
import { compileInTurns, sidesOf, unreadableSides } from '../actions/linked-reads.js';
import { readContext } from '../actions/read-context.js';
import { approvalsOf } from '../actions/requirements/approvals/approval-group.js';
import {
  causeOf,
  Failure,
  notBegun,
  reasonOfFailure,
  type Run,
  type StepOutcome,
  taskAfter,
} from '../actions/step.js';
import { effectKindOf, stepTypes } from '../actions/step-types.js';
import { TryAgain } from '../common/errors.js';
import { say } from '../common/message.js';
import { LostLease } from '../../packages/fair/lease.js';
import { pauses } from '../../packages/fair/turn.js';
import { findLinksOf, type LinkChange } from '../tasks/links/find-links.js';
import { withLinksLocked } from '../tasks/links/lock-links.js';
import { replaceLinks } from '../tasks/links/replace-links.js';
import { jsonOf } from '../tasks/answer-task.js';
import { deleteLockedTask, loadTask } from '../tasks/store/task.repository.js';
import { stateOfTask, type TaskRow } from '../tasks/store/task-row.js';
import { changeThisTask } from '../tasks/store/upsert-task.js';
import { type Expression, readsMoreThanTask } from '../workflows/expressions/expression.js';
import { TooManyLinked } from '../workflows/expressions/expression-error.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Claimed, type Ended, finish, finishWithTask, recordAnswer } from './claims.repository.js';
import { type AnswerCall, runSteps } from './run-steps.js';
import { changesSince } from '../workflows/definition/store/history.js';

export interface ExecutionAttempt extends AttemptParts {
  readonly scope: Scope;
  readonly claimed: Claimed;
  /** The action in the current definition. Undefined if the definition no longer has the action. */
  readonly action: Action | undefined;
  readonly expressions: readonly Expression[];
}

interface AttemptParts extends Pick<Run, 'workflowOf' | 'secret' | 'address' | 'messages'> {
  readonly db: EntityManager;
  /** The answers to the calls that were made so far, by the index of the step. */
  readonly answers: Map<string, EffectAnswer>;
}

export type MakeCall = (index: number, request: unknown) => Promise<EffectAnswer>;

/** Prepares an attempt, with the current action and with the steps that were stored at the start. */
export async function attemptAt(
  scope: Scope,
  claimed: Claimed,
  parts: AttemptParts,
): Promise<ExecutionAttempt> {
  const { workflow } = scope;
  if (claimed.definition !== workflow.version) await requireSameNames(parts.db, claimed);
  const steps = claimed.steps.map((step) => readsOf(step, workflow.schema));
  const given = expressionsOfGiven(claimed.given, workflow);
  const expressions = await compileInTurns([given, ...steps], pauses(scope));
  return { ...parts, scope, claimed, action: await actionOf(scope, claimed.actionId), expressions };
}

/** Throws a `Failure` if anything except an action was renamed, because the stored steps may use its old name. */
async function requireSameNames(
  db: EntityManager,
  { workspaceId, definition, steps }: Claimed,
): Promise<void> {
  const since = await changesSince(db, workspaceId, definition);
  const isRenamed = since.flat().some(({ kind, what }) => kind === 'rename' && what !== 'action');
  if (isRenamed)
    throw new Failure(['names in the definition have changed: start the action again'], notBegun(steps));
}

/** Runs the steps on a copy of the task, without locks, to make all calls that have no answer. */
export async function rehearseCalls(attempt: ExecutionAttempt, call: MakeCall): Promise<void> {
  const { db, claimed, answers } = attempt;
  const isMissing = (step: StepDefinition, index: number): boolean =>
    effectKindOf(step) !== undefined && !answers.has(String(index));
  if (!claimed.steps.some(isMissing)) return;
  await doSteps(attempt, db, await readTask(attempt), undefined, async (index, request) => {
    const known = answers.get(String(index));
    if (known) return known;
    const made = await request();
    if (answers.size > 0) await requireApproved(attempt);
    const answer = await call(index, made);
    if (!(await recordAnswer(db, claimed, index, answer))) throw new LostLease();
    answers.set(String(index), answer);
    return answer;
  });
}

/** If the action needs approvals, checks the action again: an earlier call may have taken minutes. */
async function requireApproved(attempt: ExecutionAttempt): Promise<void> {
  const { db, scope, claimed } = attempt;
  if (approvalsOf(scope.workflow, claimed.actionId)) await validate(attempt, db, await readTask(attempt));
}

async function readTask({ db, scope, claimed }: ExecutionAttempt): Promise<TaskRow> {
  const task = await loadTask(db, scope, claimed.taskId);
  if (!task) throw taskWasDeleted(claimed);
  return task;
}

const taskWasDeleted = ({ steps }: Claimed): Failure => new Failure(['task was deleted'], notBegun(steps));

/**
 * The fast path, for an action that reads and writes only its task. Checks the action, and runs the steps on
 * the copy of the task that was read at the claim. Writes the task and `Success` in one statement. The fast
 * path is as safe as a lock, with a fifth of the round trips. For other actions, or if the task has changed,
 * or if the task or definition is locked, returns undefined and writes nothing.
 */
export async function applyAtOnce(attempt: ExecutionAttempt): Promise<Ended | undefined> {
  const { db, scope, claimed, action } = attempt;
  const types = claimed.steps.map(({ type }) => stepTypes.get(type));
  const isAlone = types.every((type) => !type?.touches && !type?.isSentLater);
  const readsMore = allExpressions(attempt).some(readsMoreThanTask);
  const loads = action?.requirements.some(({ type }) => type.load !== undefined) ?? false;
  if (loads || !isAlone || readsMore || !claimed.task) return undefined;
  const task = { ...claimed.task, id: claimed.taskId };
  const { run, outcomes } = await doSteps(attempt, db, task, undefined, recorded(attempt));
  return finishWithTask(db, scope, claimed, { state: stateOfTask(task), change: run.change }, outcomes);
}

const allExpressions = ({ action, expressions }: ExecutionAttempt): Expression[] => [
  ...(action?.expressions ?? []),
  ...expressions,
];

/** Checks the action again and runs its steps on the locked task. The same transaction writes `Success`. */
export async function applyLocked(attempt: ExecutionAttempt): Promise<Ended> {
  const { db, scope, claimed } = attempt;
  const { workflow } = scope;
  const { taskId } = claimed;
  const read = sidesOf(workflow, allExpressions(attempt));
  const unreadable = await unreadableSides(db, workflow, taskId, [...read.values()]);
  const readable = [...read.values()].filter((side) => !unreadable.includes(side));
  return withLinksLocked(db, scope, { taskId }, visitedLinks(attempt, readable), async (tx, { task }) => {
    if (!task) throw taskWasDeleted(claimed);
    const { run, outcomes } = await doSteps(attempt, tx, task, tx, recorded(attempt));
    // A link with too many tasks was not locked. If it has become small enough, the expressions have read its
    // tasks without a lock. Then the execution is tried again.
    for (const [name, side] of read)
      if (unreadable.includes(side) && !(run.context.linked.get(name) instanceof TooManyLinked))
        throw new TryAgain('tasks were unlinked meanwhile');
    if (run.isDeleted) await deleteWithLinks(tx, scope, taskId);
    else if (!(await changeThisTask(tx, workflow, taskId, run.change, run.hasChangedLinks)))
      throw new Error('a locked task was not written');
    const ended = await finish(tx, claimed, null, outcomes);
    if (!ended) throw new LostLease();
    return ended;
  });
}

/** The links to tasks that the action or its steps may read or change, in the order of the definition. */
function visitedLinks(
  { scope: { workflow }, claimed }: ExecutionAttempt,
  read: readonly string[],
): LinkChange[] {
  const altered = claimed.steps.flatMap((step) => stepTypes.get(step.type)?.touches?.(step, workflow) ?? []);
  const touched = new Set([...altered.map(({ side }) => side), ...read]);
  return [...workflow.schema.links.values()]
    .filter(({ side }) => touched.has(side))
    .map((link) => ({ link, as: 'visited', references: [] }));
}

/** Deletes a task. The task and all its linked tasks must be locked. */
async function deleteWithLinks(tx: EntityManager, scope: Scope, taskId: string): Promise<void> {
  const { links } = scope.workflow.schema;
  const ended = (await findLinksOf(tx, scope, taskId)).flatMap((other) => {
    const link = links.get((other.isFrom ? '>' : '<') + other.relationshipId);
    return link ? [{ link, begins: false, other }] : [];
  });
  await replaceLinks(tx, scope.workflow, taskId, ended);
  await deleteLockedTask(tx, scope.workflow, taskId);
}

function recorded({ answers }: ExecutionAttempt): AnswerCall {
  return (index) => {
    const answer = answers.get(String(index));
    // If there is no answer, the step's `when` was false in the rehearsal, and is true now.
    return answer ? Promise.resolve(answer) : Promise.reject(new TryAgain('a call was not rehearsed'));
  };
}

/** Checks the action and runs its steps on this task. Throws a `Failure` if the check or a step fails. */
async function doSteps(
  attempt: ExecutionAttempt,
  db: EntityManager,
  task: TaskRow,
  tx: EntityManager | undefined,
  call: AnswerCall,
): Promise<{ readonly run: Run; readonly outcomes: StepOutcome[] }> {
  const { scope, claimed, messages, workflowOf, secret, address } = attempt;
  const { context, change } = await validate(attempt, db, task);
  const run: Run = {
    context: { ...context, task: taskAfter(task, change) },
    change,
    action: { id: claimed.actionId, name: claimed.actionName },
    execution: claimed.id,
    step: 0,
    messages,
    workflowOf,
    effect: () => Promise.reject(new Error('no step')),
    textOf: (task) => jsonOf(db, scope, scope.workflow.schema, task),
    secret,
    address,
    reads: db,
    tx,
    hasChangedLinks: false,
    isDeleted: false,
  };
  return { run, outcomes: await runSteps(claimed.steps, run, call) };
}

/** Throws a `Failure` if the action may not begin. */
async function validate(
  { scope, claimed, action, expressions }: ExecutionAttempt,
  db: EntityManager,
  task: TaskRow,
): Promise<{ readonly context: ActionContext; readonly change: TaskChange }> {
  const { actionName, performerId, steps, startedAt, given } = claimed;
  if (!action)
    throw new Failure([say`${actionName} is not an action of this workflow any more`], notBegun(steps));
  const performer = performerId === null ? undefined : scope.workflow.schema.users.get(performerId);
  const question = { performer, actions: [action], expressions, now: startedAt };
  const context = await readContext(db, scope, task, question);
  const change = await orNotBegun(() => changeOfGiven(context, action, given), steps);
  const unmet = findUnmet(action, { ...context, task: taskAfter(task, change) });
  if (unmet.length > 0) throw new Failure(messagesOf(unmet), notBegun(steps), ['a requirement is not met']);
  return { context, change };
}

async function orNotBegun<T>(work: () => Promise<T>, steps: readonly StepDefinition[]): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOfFailure(error);
    throw reason === undefined ? error : new Failure([reason], notBegun(steps), [causeOf(error)]);
  }
}
