import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { pagedList, type RequestAddress } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { CONFIG, type Config } from '../config.js';
import { Refusal, RefusedExecution } from '../common/errors.js';
import { idempotentRequest, once, onceAtATime } from '../common/http/idempotency.js';
import { findTaskKey } from '../tasks/store/task-keys.js';
import { findNamedTask } from '../tasks/store/task.repository.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { noElement, noExecution, noTask } from '../workflows/model/not-found.js';
import { type User } from '../workflows/fields/field-type.js';
import { type PublicName, type TaskName } from '../workflows/model/task-name.js';
import { type Unit, UnitOfWork } from '../workflows/model/unit-of-work.js';
import { changeOfGiven, expressionsOfGiven } from '../actions/step-values.js';
import { type Given, readGiven } from '../actions/given.js';
import { taskAfter } from '../actions/step.js';
import { startedByRules } from '../workflows/model/action-definition.js';
import { type Action, actionOf, findUnmet, messagesOf } from '../actions/action.js';
import { logEnd } from './execution-log.js';
import { type Logger, LOGGER } from '../common/logger.js';
import { Doorbell } from '../common/ops/doorbell.js';
import {
  enter,
  enterAtOnce,
  type EnteredExecution,
  executionJob,
  type ExecutionKey,
  findExecution,
  type FoundExecution,
  cancel,
  listExecutions,
  type ListedExecution,
  type NewExecution,
} from './executions.repository.js';
import { type ExecutionsQuery, showExecution, parseStart, type Start } from './execution.dto.js';
import { say } from '../common/message.js';
import { readContext } from '../actions/read-context.js';
import { type Ended } from './claims.repository.js';
import { CompletionWaiters } from './completion-waiters.js';
import { requireStart } from '../workflows/model/narrowing.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Known, knownEnd, knownIn, knownTo } from '../workflows/model/known.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { type ReadPage } from '../common/id-page.js';

export interface StartOptions {
  readonly idempotencyKey: string | undefined;
  /** Whether a form sends the request. A repeated form waits for the first answer instead of getting 409. */
  readonly isForm?: boolean;
  /** The most milliseconds to wait for the end of the execution. */
  readonly waitMs: number;
  /** The task, if no Unique ID in the body names it. */
  readonly task?: PublicName | undefined;
  /** Repeats an execution with its values. This is allowed even for an action that only rules start. */
  readonly again?: { readonly given: Given | null } | undefined;
}

@Injectable()
export class ExecutionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly doorbell: Doorbell,
    private readonly waiters: CompletionWaiters,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Starts an execution if the action may begin. A repeated request returns the same execution. */
  async start(
    scope: Scope,
    payload: JsonObject,
    { idempotencyKey, isForm = false, waitMs, task, again }: StartOptions,
  ): Promise<Pick<FoundExecution, 'id' | 'status' | 'errors'>> {
    let entered: EnteredExecution | undefined;
    const asked = { route: 'executions', body: payload };
    const request = idempotentRequest(scope, idempotencyKey, asked);
    const { id } = await this.work.begin(scope, async (unit) => {
      entered = undefined;
      if (!task && !unit.scope.workflow.schema.uniqueId)
        throw new RefusedExecution(['This workflow has no Unique ID field']);
      const begin = async (db: EntityManager, write: Unit['write']): Promise<{ readonly id: string }> => {
        entered = await enterChecked(db, unit.scope, { payload, task, again }, write);
        return { id: entered.id };
      };
      return request
        ? unit.transaction((tx) =>
            (isForm ? once : onceAtATime)(tx, request, () => begin(tx, (work) => work(tx))),
          )
        : begin(unit.db, (work) => unit.write(work));
    });
    if (entered)
      this.doorbell.ring(executionJob, { workspaceId: scope.workspaceId, id } satisfies ExecutionKey);
    if (!entered) return this.read(scope, id, waitMs);
    if (waitMs === 0) return { id, status: 'Pending', errors: null };
    const end = await this.waitFor(scope, id, waitMs);
    if (!end) return this.read(scope, id, 0);
    const { errors } = knownEnd(end, await this.knownTo(scope));
    return { id, status: errors ? 'Fail' : 'Success', errors };
  }

  /** Checks whether an action may begin, and throws the reasons if it may not. Does not start the action. */
  async rehearse(scope: Scope, payload: JsonObject): Promise<void> {
    const wanted = { payload, task: undefined, again: undefined };
    await this.work.begin(scope, (unit) =>
      unit.rehearse((tx) => enterChecked(tx, unit.scope, wanted, (work) => work(tx))),
    );
  }

  async list(
    scope: Scope,
    query: ExecutionsQuery,
    address: RequestAddress,
    of: TaskName | undefined = query.task_id,
  ): Promise<TaskList> {
    return this.work.read(scope, async (db, current) => {
      const { status, _verbose } = query;
      const task = of === undefined ? undefined : await findTaskKey(db, current, of);
      const filter = { taskId: task?.taskId, status };
      const read: ReadPage<ListedExecution> = (after, limit) =>
        listExecutions(db, current, filter, after, limit);
      const known = await this.knownTo(current);
      const write = ({ execution }: ListedExecution): string =>
        JSON.stringify(showExecution(current.workflow, knownEnd(execution, known), _verbose === 'true'));
      const list = { scope: current, name: ['executions', task?.taskId, status], read, write };
      return pagedList(list, query, address, this.config);
    });
  }

  /** Returns an execution when it has ended, at the latest after `waitMs` milliseconds. */
  async read(scope: Scope, id: string, waitMs: number): Promise<FoundExecution> {
    const db = this.work.db(scope);
    let execution = await findExecution(db, scope, id);
    if (!execution) throw noExecution(scope.workflow, id);
    if (waitMs > 0 && execution.status === 'Pending') {
      await this.waitFor(scope, id, waitMs);
      execution = (await findExecution(db, scope, id)) ?? execution;
    }
    return knownEnd(execution, await this.knownTo(scope));
  }

  /**
   * Cancels an execution. Throws 409 if it has begun or ended. A restricted user may cancel only executions
   * that this user performs. A narrowed key may cancel only executions of actions that it may start.
   */
  async cancel(scope: Scope, id: string): Promise<void> {
    const { workspaceId, bound, viewer } = scope;
    const manager = this.work.db(scope);
    if (bound || viewer?.narrowing) await requireCancel(manager, scope, id);
    const ended = await cancel(manager, { workspaceId, id }, scope);
    if (ended === undefined) throw noExecution(scope.workflow, id);
    if (!ended) throw new Refusal('conflict', 'The execution has already begun or ended.');
    await logEnd(this.logger, this.workspaces, ended, ['was cancelled']);
    this.waiters.wake({ workspaceId, id }, { errors: ['was cancelled'] });
  }

  /** Waits for the end of an execution. Returns the end if it came in time and in this process. */
  private async waitFor(
    scope: Scope,
    id: string,
    waitMs: number,
  ): Promise<Pick<Ended, 'errors'> | undefined> {
    if (this.config.background === 'asked') {
      const taskId = (await findExecution(this.work.db(scope), scope, id))?.taskId;
      this.doorbell.demand(executionJob, (due) => Reflect.get(due, 'taskId') === taskId);
    }
    const wait = () => this.waiters.wait({ workspaceId: scope.workspaceId, id }, waitMs);
    return scope.deadline ? scope.deadline.except(wait) : wait();
  }

  private async knownTo({ workspaceId, viewer }: Scope): Promise<Known> {
    return knownIn(knownTo(await this.workspaces.get(workspaceId), viewer));
  }
}

async function requireCancel(db: EntityManager, scope: Scope, id: string): Promise<void> {
  const execution = await findExecution(db, scope, id);
  if (!execution) throw noExecution(scope.workflow, id);
  const { viewer, bound } = scope;
  requireStart(viewer?.narrowing, execution.actionId);
  if (bound && execution.performerId !== viewer?.userId)
    throw new Refusal('forbidden', 'You can cancel only executions that you started yourself.');
}

/** Checks the action and inserts an execution. The worker checks again, because the task may have changed. */
async function enterChecked(
  db: EntityManager,
  scope: Scope,
  { payload, task: known, again }: Pick<StartOptions, 'task' | 'again'> & { readonly payload: JsonObject },
  write: Unit['write'],
): Promise<EnteredExecution> {
  const { taskId, actionId, performer, fields }: Start = parseStart(scope, payload);
  requireStart(scope.viewer?.narrowing, actionId);
  const name = known ?? taskId;
  const action = await actionOf(scope, actionId);
  if (!action) throw noElement(scope.workflow, 'action', scope.workflow.actions, actionId);
  if (action.isByRules && !again) throw new RefusedExecution([say`${action.name} ${startedByRules}`]);
  const wanted = executionOf(scope, action, performer);
  // If only the stage must be checked, the INSERT statement of the execution checks it.
  const asks = again !== undefined || fields !== undefined || action.asked.length > 0;
  const isPlain = !performer && action.requirements.length === 0 && !asks;
  const atOnce = isPlain && !known ? await enterAtOnce(db, taskId, wanted) : undefined;
  if (atOnce) return atOnce;
  return write(async (db) => {
    const task = await findNamedTask(db, scope, name);
    if (!task) throw noTask(scope.workflow, name);
    const given = again ? again.given : await readGiven(scope, action, fields, task);
    const expressions = [...expressionsOfGiven(given, scope.workflow)];
    const context = await readContext(db, scope, task, { performer, actions: [action], expressions });
    const change = await changeOfGiven(context, action, given);
    const unmet = findUnmet(action, { ...context, task: taskAfter(task, change) });
    if (unmet.length > 0) throw new RefusedExecution(messagesOf(unmet));
    const entered = await enter(db, task.id, { ...wanted, stages: null, given });
    if (!entered) throw noTask(scope.workflow, name);
    return entered;
  });
}

function executionOf(scope: Scope, action: Action, performer: User | undefined): NewExecution {
  return {
    workspaceId: scope.workspaceId,
    workflowId: scope.workflow.id,
    stages: action.stageIds,
    actionId: action.id,
    actionName: action.name,
    performerId: performer?.id ?? null,
    definition: scope.workflow.version,
    steps: action.steps,
    origin: scope.origin,
  };
}
