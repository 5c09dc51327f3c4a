import { Injectable } from '@nestjs/common';
import { type Json } from '../../packages/exact-json/json.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { ExecutionsService } from './executions.service.js';
import { isDatabaseGone, isDatabaseUnavailable } from '../common/database-error.js';
import { busy, preconditionFailed, Refusal, RefusedExecution, unavailable } from '../common/errors.js';
import { faultsOf, InvalidFields } from '../common/field-errors.js';
import { type Message, messageOfText } from '../common/message.js';
import { stateOfTask } from '../tasks/store/task-row.js';
import { titleOf } from '../workflows/fields/task-title.js';
import { BatchWriter, unbounded, type WriteRows } from '../tasks/batch/batch-writer.js';
import { TasksService } from '../tasks/tasks.service.js';
import { type PublicName } from '../workflows/model/task-name.js';
import { type Scope } from '../workflows/model/scope.js';

export interface ChosenTask extends PublicName {
  readonly state: string;
}

/**
 * Sets a key of each task to a value, or starts an action. If the operation is repeated with the same `once`,
 * no action starts a second time.
 */
export type BulkOperation =
  | { readonly name: string; valueOf(publicId: string): Json }
  | { readonly actionId: string; readonly once: string };

export interface BulkOutcome extends PublicName {
  /** The title, which takes less memory than the task. Undefined if no task was read. */
  readonly title: string | undefined;
  readonly became: 'changed' | 'unchanged' | 'running' | 'refused';
  /** The version of the task after the change. */
  readonly version?: number | undefined;
  readonly reasons: readonly Message[];
}

export const MAX_CHOSEN = 100;

/** Makes the same change to many tasks, with the rights of the user. Continues if a task is refused. */
@Injectable()
export class BulkEdits {
  /** Limits the simultaneous bulk edits, because each takes long. */
  private readonly open = new FairSemaphore(8, busy('Too many tasks are being changed from lists.'));

  constructor(
    private readonly tasks: TasksService,
    private readonly batches: BatchWriter,
    private readonly executions: ExecutionsService,
  ) {}

  /** Changes all tasks, even if the client disconnects. After 20 s the remaining tasks are refused. */
  async apply(asked: Scope, chosen: readonly ChosenTask[], operation: BulkOperation): Promise<BulkOutcome[]> {
    const work = async (): Promise<BulkOutcome[]> => {
      const scope = unbounded(asked);
      const write = this.batches.eachOf(scope);
      const until = Date.now() + MOST_MS;
      const begun = [];
      for (const one of chosen) begun.push(await this.begin(scope, one, operation, { write, until }));
      const ends = Date.now() + MOST_WAIT_MS;
      const outcomes = [];
      for (const each of begun) outcomes.push(await this.end(scope, each, ends));
      return outcomes;
    };
    const inTurn = (): Promise<BulkOutcome[]> => this.open.use(asked, work);
    return asked.deadline ? asked.deadline.except(inTurn) : inTurn();
  }

  /** Writes the value or starts the action, unless the task has changed since the list was rendered. */
  private async begin(
    scope: Scope,
    { publicId, state }: ChosenTask,
    operation: BulkOperation,
    { write, until }: { readonly write: WriteRows; readonly until: number },
  ): Promise<BegunOutcome> {
    let title: string | undefined;
    try {
      if (Date.now() > until) throw unavailable(tooBusy);
      const task = await this.tasks.findNamed(scope, { publicId });
      if (!task) return { publicId, title, became: 'refused', reasons: [] };
      title = titleOf(scope.workflow, task).slice(0, MOST_OF_TITLE);
      if (stateOfTask(task) !== state) throw preconditionFailed();
      if ('actionId' in operation)
        return { publicId, title, became: 'running', reasons: [], execution: await this.start(scope, publicId, operation) }; // prettier-ignore
      const of = { task: { publicId }, states: [state] };
      const [outcome] = await write([
        { row: 1, content: new Map([[operation.name, operation.valueOf(publicId)]]), of },
      ]);
      if (outcome?.errors) throw new InvalidFields(outcome.errors);
      if (outcome?.status === 'unchanged') return { publicId, title, became: 'unchanged', reasons: [] };
      return { publicId, title, became: 'changed', version: outcome?.version, reasons: [] };
    } catch (error) {
      return { publicId, title, became: 'refused', reasons: reasonsOf(error) };
    }
  }

  /** Starts an execution, and returns its id. A repeated form returns the id of the first execution. */
  private async start(scope: Scope, publicId: string, { actionId, once }: StartOperation): Promise<string> {
    const payload = new Map<string, Json>([['task_id', publicId], ['action_id', actionId]]); // prettier-ignore
    const idempotencyKey = `list ${once} ${actionId} ${publicId}`;
    const options = { idempotencyKey, isForm: true, waitMs: 0, task: { publicId } };
    return (await this.executions.start(scope, payload, options)).id;
  }

  /** Returns the outcome when the execution has ended, or else at the time `ends`. */
  private async end(scope: Scope, { execution, ...begun }: BegunOutcome, ends: number): Promise<BulkOutcome> {
    if (execution === undefined) return begun;
    const waitMs = Math.max(0, ends - Date.now());
    const { status, errors } = await this.executions.read(scope, execution, waitMs);
    if (status === 'Pending') return begun;
    const reasons = (errors ?? []).map(messageOfText);
    return { ...begun, became: status === 'Success' ? 'changed' : 'refused', reasons };
  }
}

type StartOperation = Extract<BulkOperation, { readonly once: string }>;

interface BegunOutcome extends BulkOutcome {
  readonly execution?: string;
}

/** All changes must begin within this many milliseconds. */
const MOST_MS = 20_000;
/** The most milliseconds to wait for the executions afterwards. */
const MOST_WAIT_MS = 5000;

const MOST_OF_TITLE = 300;
const tooBusy = 'The service is busy: try again.';

/** The reasons for which a task was refused. Rethrows any other error. */
function reasonsOf(error: unknown): readonly Message[] {
  if (error instanceof RefusedExecution) return error.errors;
  if (error instanceof Refusal) return [error.said];
  if (isDatabaseUnavailable(error) && !isDatabaseGone(error)) return [tooBusy];
  return faultsOf(error);
}
