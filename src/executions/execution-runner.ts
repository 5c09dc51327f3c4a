import { setMaxListeners } from 'node:events';
import { type StepAnswer } from '../actions/step.js';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { type StepDefinition } from '../workspace/definition.js';
import { type LinkChange } from '../links/find-links.js';
import { withLinksLocked } from '../links/lock-links.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Outbound } from '../safe-http/client.js';
import { noPrecondition } from '../task-store/task-row.js';
import { updateThisTask } from '../task-store/task.repository.js';
import { emptyChange } from '../schema/task-change.js';
import { withTimeLimit } from '../lib/time-limit.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { Workspaces } from '../workspace/workspaces.js';
import { applyAtOnce, rehearsed } from './fast-path.js';
import { makeCall } from './api-caller.js';
import { deleteOwnTask, judgeClaimed, taskIsGone, taskOf, withAllLinked } from './claimed-task.js';
import { Failure, notBegun, type ApiCall, type Run } from '../actions/step.js';
import {
  claim,
  type Claimed,
  type Ended,
  type ExecutionKey,
  finish,
  giveBack,
  noteAnswer,
  putOff,
} from './executions.repository.js';
import { holdLease, LostLease } from './lease.js';
import { Secrets } from './secrets.js';
import { Crowded, type WaitingCall } from './waiting-calls.js';
import { stepTypes } from '../actions/step-types.js';
import { walk } from './run-steps.js';

/** Makes a call to another system, while the worker does something else. */
export type Away = <T>(call: WaitingCall, work: () => Promise<T>) => Promise<T>;

/** Makes the call of the step at this place. */
type Call = (index: number, request: ApiCall) => Promise<StepAnswer>;

/** Resolves executions: claims one, rehearses its calls and applies its steps, exactly once as far as tasks go. */
@Injectable()
export class Resolver {
  private readonly stopping = new AbortController();

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly work: UnitOfWork,
    private readonly outbound: Outbound,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // Every call that waits listens to it.
    setMaxListeners(0, this.stopping.signal);
  }

  /** From now on begins nothing, and gives back what waits for others. */
  stop(): void {
    this.stopping.abort();
  }

  /**
   * Resolves the execution if it can be claimed; every call to another system is made within `away`. Undefined where it
   * has not ended by this.
   */
  async resolve(key: ExecutionKey, away: Away): Promise<Ended | undefined> {
    if (this.stopping.signal.aborted) return undefined;
    const db = this.dataSource.manager;
    const claimed = await claim(db, key, this.config.leaseMs);
    if (!claimed) return undefined;
    const lease = holdLease(db, claimed, this.config.leaseMs);
    const deadline = performance.now() + this.config.executionMs - claimed.ageMs;
    const call: Call = (index, request) => {
      const left = Math.max(deadline - performance.now(), 0);
      const make = (signal: AbortSignal): Promise<StepAnswer> =>
        makeCall(this.outbound, request, `${claimed.id}.${index}`, signal);
      return away(waitingCall(claimed, request), () =>
        withTimeLimit(left, [lease.signal, this.stopping.signal], make),
      );
    };
    try {
      return await this.carryOut(claimed, call);
    } catch (error) {
      return await this.explain(error, claimed, performance.now() >= deadline);
    } finally {
      lease.end();
    }
  }

  private async explain(error: unknown, claimed: Claimed, isLate: boolean): Promise<Ended | undefined> {
    const db = this.dataSource.manager;
    if (error instanceof Failure) return finish(db, claimed, error.errors, error.outcomes);
    if (isLate) return finish(db, claimed, ['took too long'], notBegun(claimed.steps));
    if (this.stopping.signal.aborted) await giveBack(db, claimed);
    else if (error instanceof Crowded) await putOff(db, claimed, putOffMs);
    // Who has lost the lease has nothing to say any more; others try again when it ends.
    else if (!(error instanceof LostLease))
      this.logger.warn({ err: error, execution: claimed.id }, 'execution interrupted');
    return undefined;
  }

  /** Carries the steps out; throws a `Failure` where it ends so. */
  private async carryOut(claimed: Claimed, call: Call): Promise<Ended> {
    const workspace = await this.workspaces.get(claimed.workspaceId);
    const known = byId(workspace, claimed.workflowId);
    if (!known) throw new Failure(['the workflow is not there any more'], notBegun(claimed.steps));
    // Kept when the definition changes meanwhile and all begins again: what was called is not called twice.
    const answers = new Map(Object.entries(claimed.answers));
    return this.work.begin(known, async ({ workflow }) => {
      const { workflowOf, secret } = this.surroundings(await this.workspaces.get(claimed.workspaceId));
      const begin = (tx: EntityManager | undefined): Omit<Run, 'context' | 'call'> => ({
        change: emptyChange(),
        actionName: claimed.actionName,
        workflowOf,
        secret,
        tx,
        isTouched: false,
        isDeleted: false,
      });
      if (needsCalls(claimed.steps, answers)) await this.rehearse(workflow, claimed, answers, begin, call);
      const ended = await applyAtOnce(this.dataSource.manager, workflow, claimed, answers, begin);
      return ended ?? this.apply(workflow, claimed, answers, begin);
    });
  }

  /** Walks the steps on a copy of the task, without any lock, and makes the calls that have no answer yet. */
  private async rehearse(
    workflow: Workflow,
    claimed: Claimed,
    answers: Map<string, StepAnswer>,
    begin: (tx: undefined) => Omit<Run, 'context' | 'call'>,
    call: Call,
  ): Promise<void> {
    const db = this.dataSource.manager;
    const task = await withAllLinked(db, workflow, await taskOf(db, workflow, claimed));
    const context = { ...(await judgeClaimed(db, workflow, claimed, task)), task };
    const run: Run = {
      ...begin(undefined),
      context,
      call: () => Promise.reject(new Error('no step')),
    };
    await walk(claimed.steps, run, async (index, request) => {
      const known = answers.get(String(index));
      if (known) return known;
      const answer = await call(index, request);
      if (!(await noteAnswer(db, claimed, index, answer))) throw new LostLease();
      answers.set(String(index), answer);
      return answer;
    });
  }

  /** Judges again and does all steps on the locked task, in the one transaction that writes `Success`. */
  private async apply(
    workflow: Workflow,
    claimed: Claimed,
    answers: ReadonlyMap<string, StepAnswer>,
    begin: (tx: EntityManager) => Omit<Run, 'context' | 'call'>,
  ): Promise<Ended> {
    const { taskId, steps } = claimed;
    const visited = visitedLinks(workflow, steps);
    return withLinksLocked(this.dataSource.manager, workflow, { taskId }, visited, async (tx, { task }) => {
      if (!task) throw taskIsGone(claimed);
      const context = { ...(await judgeClaimed(tx, workflow, claimed, task)), task };
      const run: Run = { ...begin(tx), context, call: () => Promise.reject(new Error('no step')) };
      const outcomes = await walk(steps, run, rehearsed(answers));
      if (run.isDeleted) await deleteOwnTask(tx, workflow, task.id);
      else if (!(await updateThisTask(tx, workflow, taskId, run.change, noPrecondition, run.isTouched)))
        throw new Error('a locked task was not written');
      const ended = await finish(tx, claimed, null, outcomes);
      if (!ended) throw new LostLease();
      return ended;
    });
  }

  private surroundings(workspace: Workspace): Pick<Run, 'workflowOf' | 'secret'> {
    return {
      workflowOf(id) {
        const workflow = byId(workspace, id);
        if (!workflow) throw new Error('a relationship leads to no workflow');
        return workflow;
      },
      secret: (name) => this.secrets.value(workspace.slug, name),
    };
  }
}

/** After which a call that was one too many is tried again. */
const putOffMs = 5000;

function waitingCall({ workspaceId, task }: Claimed, { url, body }: ApiCall): WaitingCall {
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  return { workspaceId, origin, held: body.length + JSON.stringify(task).length };
}

function byId({ workflows }: Workspace, id: number): Workflow | undefined {
  return [...workflows.values()].find((workflow) => workflow.id === id);
}

function needsCalls(steps: readonly StepDefinition[], answers: ReadonlyMap<string, StepAnswer>): boolean {
  return steps.some(({ type }, index) => stepTypes.get(type)?.isCall && !answers.has(String(index)));
}

/** The links whose other ends the steps may alter, in the order of the definition. */
function visitedLinks(workflow: Workflow, steps: readonly StepDefinition[]): LinkChange[] {
  const touched = new Set(
    steps
      .flatMap((step) => stepTypes.get(step.type)?.touches?.(step, workflow) ?? [])
      .map(({ side }) => side),
  );
  return [...workflow.schema.links.values()]
    .filter(({ side }) => touched.has(side))
    .map((link) => ({ link, as: 'visited', references: [] }));
}
