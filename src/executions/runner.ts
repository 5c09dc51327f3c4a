import { Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { causeOf, Failure, notBegun, reasonOfFailure, type Run } from '../actions/step.js';
import { effectKindOf } from '../actions/step-types.js';
import { publicAddress } from '../common/public-address.js';
import { CONFIG, type Config } from '../config.js';
import { Origin, sourceOf } from '../common/origin.js';
import { busy } from '../common/errors.js';
import { InvalidFields } from '../common/field-errors.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { LostLease } from '../../packages/fair/lease.js';
import { type JobPlace } from '../common/ops/job-kind.js';
import { type Logger, LOGGER } from '../common/logger.js';
import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { type MessageKey, messageJob } from '../messages/messages.repository.js';
import { Doorbell } from '../common/ops/doorbell.js';
import { Health } from '../common/ops/health.js';
import { pauseOf } from '../common/pause.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { findWorkflow, workflowById } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { doEffect, type MadeCall, TooManyCalls, waitingCall, WaitingCalls } from './do-effect.js';
import { type Claimed, type Ended, finish, postpone, release } from './claims.repository.js';
import { applyAtOnce, applyLocked, attemptAt, type MakeCall, rehearseCalls } from './attempt.js';
import { logEnd } from './execution-log.js';
import { givenUp, withAnswered } from './run-steps.js';
import { Secrets } from '../access/secrets.js';
import { Scope } from '../workflows/model/scope.js';

/** Runs claimed executions: first makes the calls, and then applies the steps to the task exactly once. */
@Injectable()
export class ExecutionRunner {
  private readonly calls = new WaitingCalls();
  /** Limits the executions that lock tasks, because each holds a connection that requests may need. */
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

  /** Runs an execution. Returns its end, or undefined if the execution did not end in this process. */
  async run(claimed: Claimed, place: JobPlace): Promise<Ended | undefined> {
    const timing = { deadline: performance.now() + this.config.executionMs - claimed.ageMs, calls: [] };
    // If the definition changes, `begin` repeats the work. With these answers, no call is made twice.
    const answers = new Map(Object.entries(claimed.answers));
    const messages: MessageKey[] = [];
    try {
      const found = await this.scopeOf(claimed);
      const ended = await this.work.begin(found, async ({ db, scope }) => {
        const parts = { db, answers, messages, ...(await this.surroundings(claimed)) };
        const attempt = await attemptAt(scope, claimed, parts);
        await rehearseCalls(attempt, this.callerOf(claimed, place, timing));
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

  private async surroundings({
    workspaceId,
  }: Claimed): Promise<Pick<Run, 'workflowOf' | 'secret' | 'address'>> {
    const workspace = await this.workspaces.get(workspaceId);
    return {
      workflowOf: (id) => workflowById(workspace, id),
      secret: (name) => this.secrets.value(workspace.slug, name),
      address: publicAddress(this.config),
    };
  }

  private callerOf(
    claimed: Claimed,
    { lease, stopping, outside }: JobPlace,
    { deadline, calls }: Timing,
  ): MakeCall {
    const { id, workspaceId } = claimed;
    const provider = <T>(token: Type<T> | symbol): T => this.modules.get<T>(token, { strict: false });
    return (index, request) => {
      const step = claimed.steps[index];
      const kind = effectKindOf(step);
      if (!step || !kind) throw new Error('the type of the step names no effect');
      const timeoutMs = Math.max(deadline - performance.now(), 0);
      const sender = { workspaceId, idempotencyKey: `${id}.${index}`, provider };
      const made: MadeCall = { step: step.name, tries: 0, ms: 0 };
      calls.push(made);
      const pause = pauseOf(this.config.background);
      const make = (signal: AbortSignal) => doEffect(kind, request, sender, signal, made, pause);
      return this.calls.make(waitingCall(claimed, kind.room(request, sender)), () =>
        outside(() => withTimeLimit(timeoutMs, [lease.signal, stopping], make)),
      );
    };
  }

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
    // A lost lease is not an error to log: the next owner of the lease continues the execution.
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

/** The failure of the execution. Undefined for an error after which the execution can be tried again. */
function failureOf(error: unknown, { steps }: Claimed): Failure | undefined {
  if (error instanceof Failure) return error;
  // Each step was checked alone, but all steps together may make the task too large.
  const reason = error instanceof InvalidFields ? reasonOfFailure(error) : undefined;
  return reason === undefined ? undefined : new Failure([reason], notBegun(steps), [causeOf(error)]);
}

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

/** The deadline of a run, by `performance.now()`, and the calls that the run has made. */
interface Timing {
  readonly deadline: number;
  readonly calls: MadeCall[];
}

/** How long an execution waits after `TooManyCalls`, in milliseconds. */
const POSTPONE_MS = 5000;
const LOCKERS = 16;
