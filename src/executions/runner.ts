import { Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { actionOf } from '../actions/action.js';
import { sidesOf, unreadableSides } from '../actions/linked-reads.js';
import {
  causeOf,
  Failure,
  notBegun,
  reasonOfFailure,
  type Run,
  type StepOutcome,
  taskAfter,
} from '../actions/step.js';
import { type EffectAnswer } from '../actions/effect.js';
import { effectKindOf, goesOn, stepTypes } from '../actions/step-types.js';
import { CONFIG, type Config } from '../config.js';
import { Origin, sourceOf } from '../common/origin.js';
import { TooManyLinked } from '../workflows/expressions/expression-error.js';
import { busy, TryAgain } from '../common/errors.js';
import { InvalidFields } from '../common/field-errors.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { LostLease } from '../../packages/fair/lease.js';
import { type JobPlace } from '../common/ops/job-kind.js';
import { type Logger, LOGGER } from '../common/logger.js';
import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { type LinkChange } from '../tasks/links/find-links.js';
import { withLinksLocked } from '../tasks/links/lock-links.js';
import { type MessageKey, messageJob } from '../messages/messages.repository.js';
import { Doorbell } from '../common/ops/doorbell.js';
import { Health } from '../common/ops/health.js';
import { pauseOf } from '../common/pause.js';
import { stateOfTask, type TaskRow } from '../tasks/store/task-row.js';
import { changeThisTask } from '../tasks/store/upsert-task.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { textOf } from '../tasks/answer-task.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { findWorkflow, type Workflow, workflowById } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { doEffect, type MadeCall, TooManyCalls, waitingCall, WaitingCalls } from './do-effect.js';
import {
  deleteTaskWithLinks,
  evaluated,
  readClaimedTask,
  requireApproved,
  taskWasDeleted,
  validateClaimed,
} from './claimed-task.js';
import {
  type Claimed,
  type Ended,
  finish,
  postpone,
  recordAnswer,
  release,
  finishWithTask,
} from './claims.repository.js';
import { logEnd } from './execution-log.js';
import { type AnswerCall, runSteps, givenUp, withAnswered } from './run-steps.js';
import { asBegun } from './steps-as-begun.js';
import { Secrets } from '../access/secrets.js';
import { Scope } from '../workflows/model/scope.js';
import { sealCause } from '../common/sealed-cause.js';

/** Runs claimed executions: rehearses the calls, then applies the steps to the task exactly once. */
@Injectable()
export class ExecutionRunner {
  private readonly calls = new WaitingCalls();
  /** Limits executions that lock tasks: each holds a connection, and requests need some, too. */
  private readonly lockers = new FairSemaphore(LOCKERS, busy('Too many executions are locking tasks.'), {
    ofKey: LOCKERS,
    ofWorkspace: LOCKERS,
    waitTimeoutMs: Infinity,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly work: UnitOfWork,
    private readonly modules: ModuleRef,
    private readonly secrets: Secrets,
    private readonly health: Health,
    private readonly doorbell: Doorbell,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs an execution; returns what remains to be done after its end, or undefined if it has not ended here. */
  async run(claimed: Claimed, place: JobPlace): Promise<Ended | undefined> {
    const timing = { deadline: performance.now() + this.config.executionMs - claimed.ageMs, calls: [] };
    // Kept when a new definition makes the run start over, so that no call is made twice.
    const answers = new Map(Object.entries(claimed.answers));
    const messages: MessageKey[] = [];
    try {
      const found = await this.scopeOf(claimed);
      const ended = await this.work.begin(found, async ({ db, scope }) => {
        const attempt: Attempt = {
          db,
          ...(await asBegun(db, scope, claimed)),
          answers,
          messages,
          ...(await this.surroundings(claimed)),
        };
        if (needsCalls(attempt)) await rehearse(attempt, this.callerOf(scope, claimed, place, timing));
        return (await applyAtOnce(attempt)) ?? this.lockers.use(scope, () => applyLocked(attempt));
      });
      for (const message of messages) this.doorbell.ring(messageJob, message);
      await this.logEnd(claimed, timing);
      return ended;
    } catch (error) {
      const left = { ...claimed, answers: Object.fromEntries(answers) };
      return await this.end(left, error, timing, place.stopping);
    }
  }

  private async scopeOf(claimed: Claimed): Promise<Scope> {
    const workflow = findWorkflow(await this.workspaces.get(claimed.workspaceId), claimed.workflowId);
    if (!workflow) throw new Failure(['the workflow no longer exists'], notBegun(claimed.steps));
    return new Scope(workflow, undefined, undefined, originOf(claimed));
  }

  private async surroundings({ workspaceId }: Claimed): Promise<Pick<Run, 'workflowOf' | 'secret'>> {
    const workspace = await this.workspaces.get(workspaceId);
    return {
      workflowOf: (id) => workflowById(workspace, id),
      secret: (name) => this.secrets.value(workspace.slug, name),
    };
  }

  private callerOf(
    { workflow, origin }: Scope,
    claimed: Claimed,
    { lease, stopping, outside }: JobPlace,
    { deadline, calls }: Timing,
  ): Call {
    const { id, workspaceId } = claimed;
    const chain = origin?.source.cause;
    const cause = (): string | undefined => chain && sealCause(workflow, chain);
    const provider = <T>(token: Type<T> | symbol): T => this.modules.get<T>(token, { strict: false });
    return (index, request) => {
      const step = claimed.steps[index];
      const kind = effectKindOf(step);
      if (!step || !kind) throw new Error('the type of the step names no effect');
      const timeoutMs = Math.max(deadline - performance.now(), 0);
      const sender = { workspaceId, idempotencyKey: `${id}.${index}`, cause, provider };
      const made: MadeCall = { step: step.name, tries: 0, ms: 0 };
      calls.push(made);
      const pause = pauseOf(this.config.background);
      const make = (signal: AbortSignal) => doEffect(kind, request, sender, signal, made, pause);
      return this.calls.make(waitingCall(claimed, kind.room(request, sender)), () =>
        outside(() => withTimeLimit(timeoutMs, [lease.signal, stopping], make)),
      );
    };
  }

  /** Ends an execution that failed, or leaves it for a later run. */
  private async end(
    claimed: Claimed,
    error: unknown,
    timing: Timing,
    stopping: AbortSignal,
  ): Promise<Ended | undefined> {
    const db = this.dataSource.manager;
    const isLate = performance.now() >= timing.deadline;
    const late = isLate ? new Failure(['took too long'], givenUp(claimed.steps, claimed.answers)) : undefined;
    const failure = failureOf(error, claimed) ?? late;
    if (failure) {
      const outcomes = withAnswered(failure.outcomes, claimed.answers);
      const ended = await finish(db, claimed, failure.errors, outcomes);
      if (ended) await this.logEnd(claimed, timing, failure.causes);
      return ended;
    }
    if (stopping.aborted) await release(db, claimed);
    else if (error instanceof TooManyCalls) await postpone(db, claimed, POSTPONE_MS);
    // Without the lease nothing may be written; the next owner continues.
    else if (!(error instanceof LostLease))
      await this.health.postgres.logFailure(error, 'execution interrupted', { execution: claimed.id });
    return undefined;
  }

  private async logEnd(
    claimed: Claimed,
    { deadline, calls }: Timing,
    causes?: readonly string[],
  ): Promise<void> {
    const ageMs = this.config.executionMs - (deadline - performance.now());
    const ended = { ...claimed, publicId: claimed.task?.publicId ?? null, ageMs, calls };
    await logEnd(this.logger, this.workspaces, ended, causes);
  }
}

/** The failure in an error that makes the execution impossible; undefined for other errors. */
function failureOf(error: unknown, { steps }: Claimed): Failure | undefined {
  if (error instanceof Failure) return error;
  // Each step is checked alone, but together they may make the task too large.
  const reason = error instanceof InvalidFields ? reasonOfFailure(error) : undefined;
  return reason === undefined ? undefined : new Failure([reason], notBegun(steps), [causeOf(error)]);
}

/** The origin of the changes: the execution, and whoever started it. */
function originOf({ id, workflowId, actionId, performerId, origin }: Claimed): Origin {
  const begun = sourceOf(origin);
  return new Origin({
    ...begun,
    trace: undefined,
    execution: id,
    action: actionId,
    workflow: workflowId,
    user: performerId ?? undefined,
  });
}

/** The deadline of a run, by `performance.now()`, and its calls. */
interface Timing {
  readonly deadline: number;
  readonly calls: MadeCall[];
}

/** The delay of an execution whose call exceeded its share. */
const POSTPONE_MS = 5000;
const LOCKERS = 16;

/** One attempt at a claimed execution, under the definition in force. */
interface Attempt extends Pick<Run, 'workflowOf' | 'secret'> {
  readonly db: EntityManager;
  readonly scope: Scope;
  readonly claimed: Claimed;
  /** The answers to calls so far, by the index of the step. */
  readonly answers: Map<string, EffectAnswer>;
  /** The messages to send after the end. */
  readonly messages: MessageKey[];
}

/** Carries out the effect of the step with this index. */
type Call = (index: number, request: unknown) => Promise<EffectAnswer>;

function needsCalls({ claimed: { steps }, answers }: Attempt): boolean {
  return steps.some((step, index) => effectKindOf(step) && !answers.has(String(index)));
}

/** Runs the steps on a copy of the task, without locks, and makes the calls that have no answer yet. */
async function rehearse(attempt: Attempt, call: Call): Promise<void> {
  const { db, scope, claimed, answers } = attempt;
  await doSteps(attempt, db, await readClaimedTask(db, scope, claimed), undefined, async (index, request) => {
    const known = answers.get(String(index));
    if (known) return known;
    const answer = await orFailure(claimed.steps[index], async () => {
      const made = await request();
      if (answers.size > 0) await requireApproved(db, scope, claimed);
      return call(index, made);
    });
    if (!(await recordAnswer(db, claimed, index, answer))) throw new LostLease();
    answers.set(String(index), answer);
    return answer;
  });
}

/** The answer to a call; if the action may continue without one, the reason for the failure, which is kept as well. */
async function orFailure(
  step: StepDefinition | undefined,
  make: () => Promise<EffectAnswer>,
): Promise<EffectAnswer> {
  try {
    return await make();
  } catch (error) {
    const failed = goesOn(step) ? reasonOfFailure(error) : undefined;
    if (failed === undefined) throw error;
    return { task: null, failed };
  }
}

/**
 * The fast path: checks the action, runs the steps on the task as it was claimed, and writes the task and `Success` in
 * one statement, if the task is unchanged. This is as safe as a lock, with a fifth of the round trips. Returns
 * undefined and writes nothing if the task was changed or is locked, if the definition is being changed, or if the
 * action reads or changes more than its task.
 */
async function applyAtOnce(attempt: Attempt): Promise<Ended | undefined> {
  const { db, scope, claimed } = attempt;
  const action = await actionOf(scope, claimed.actionId);
  const isAlone = claimed.steps.every(({ type }) => stepTypes.get(type)?.touches === undefined);
  const readsMore = (await evaluated(scope, claimed)).some(
    ({ linked, clocks }) => linked.size > 0 || clocks.size > 0,
  );
  const loads = action?.requirements.some(({ type }) => type.load !== undefined) ?? false;
  if (loads || !isAlone || readsMore || !claimed.task) return undefined;
  const task = { ...claimed.task, id: claimed.taskId };
  const { run, outcomes } = await doSteps(attempt, db, task, undefined, recorded(attempt));
  return finishWithTask(db, scope, claimed, { state: stateOfTask(task), change: run.change }, outcomes);
}

/** Checks the action again and runs its steps on the locked task, in the transaction that writes `Success`. */
async function applyLocked(attempt: Attempt): Promise<Ended> {
  const { db, scope, claimed } = attempt;
  const { taskId, steps } = claimed;
  const read = sidesOf(scope.workflow, await evaluated(scope, claimed));
  const unreadable = await unreadableSides(db, scope.workflow, taskId, [...read.values()]);
  const readable = [...read.values()].filter((side) => !unreadable.includes(side));
  const visited = visitedLinks(scope.workflow, steps, readable);
  return withLinksLocked(db, scope, { taskId }, visited, async (tx, { task }) => {
    if (!task) throw taskWasDeleted(claimed);
    const { run, outcomes } = await doSteps(attempt, tx, task, tx, recorded(attempt));
    // If there were too many tasks to lock, no expression may have read them.
    for (const [name, side] of read)
      if (unreadable.includes(side) && !(run.context.linked.get(name) instanceof TooManyLinked))
        throw new TryAgain('tasks were unlinked meanwhile');
    if (run.isDeleted) await deleteTaskWithLinks(tx, scope, taskId);
    else if (!(await changeThisTask(tx, scope.workflow, taskId, run.change, run.isTouched)))
      throw new Error('a locked task was not written');
    const ended = await finish(tx, claimed, null, outcomes);
    if (!ended) throw new LostLease();
    return ended;
  });
}

/** The links whose other ends the steps may change, and those that are read, in the order of the definition. */
function visitedLinks(
  workflow: Workflow,
  steps: readonly StepDefinition[],
  read: readonly string[],
): LinkChange[] {
  const altered = steps.flatMap((step) => stepTypes.get(step.type)?.touches?.(step, workflow) ?? []);
  const touched = new Set([...altered.map(({ side }) => side), ...read]);
  return [...workflow.schema.links.values()]
    .filter(({ side }) => touched.has(side))
    .map((link) => ({ link, as: 'visited', references: [] }));
}

/** Returns the answers that were recorded during the rehearsal. */
function recorded({ answers }: Attempt): AnswerCall {
  return (index) => {
    const answer = answers.get(String(index));
    // During the rehearsal the `when` of this step was not true.
    return answer ? Promise.resolve(answer) : Promise.reject(new TryAgain('a call was not rehearsed'));
  };
}

/** Checks the action and runs its steps on this task; throws a `Failure` if it may not begin or a step fails. */
async function doSteps(
  { scope, claimed, messages, workflowOf, secret }: Attempt,
  db: EntityManager,
  task: TaskRow,
  tx: EntityManager | undefined,
  call: AnswerCall,
): Promise<{ readonly run: Run; readonly outcomes: StepOutcome[] }> {
  const { context: found, change } = await validateClaimed(db, scope, claimed, task);
  const context = { ...found, task: taskAfter(task, change) };
  const run: Run = {
    context,
    change,
    action: { id: claimed.actionId, name: claimed.actionName },
    execution: claimed.id,
    step: 0,
    messages,
    workflowOf,
    effect: () => Promise.reject(new Error('no step')),
    textOf: (shape, task) => textOf(db, scope, shape, task),
    secret,
    reads: db,
    tx,
    isTouched: false,
    isDeleted: false,
  };
  return { run, outcomes: await runSteps(claimed.steps, run, call) };
}
