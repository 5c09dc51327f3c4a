import { Injectable } from '@nestjs/common';
import { type Json } from '../../../packages/exact-json/json.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { isDatabaseGone, isDatabaseUnavailable } from '../../lib/database-error.js';
import { preconditionFailed, Refusal, RefusedExecution, unavailable } from '../../lib/errors.js';
import { randomText } from '../../lib/random-id.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { type Message, messageOfText, ofField } from '../../lib/message.js';
import { type TaskRow, stateOfTask } from '../../task-store/task-row.js';
import { BatchWriter, unbounded, type WriteRows } from '../../tasks/batch/batch-writer.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type PublicName } from '../../workspace/task-name.js';
import { type Scope } from '../../workspace/scope.js';

/** A task that was chosen in a list, with the mark of what the list showed. */
export interface ChosenTask extends PublicName {
  readonly mark: string;
}

/** What is to be done with all of them: a key is given a value, or an action is run. */
export type BulkDeed =
  | { readonly name: string; readonly value: Json }
  /** `once` tells one sending of a form from the next. */
  | { readonly actionId: string; readonly once: string };

/** What became of one of them. */
export interface BulkOutcome extends PublicName {
  /** Undefined where its reader sees no such task, or none any more. */
  readonly task?: TaskRow | undefined;
  readonly became: 'changed' | 'unchanged' | 'running' | 'refused';
  readonly reasons: readonly Message[];
}

/** One of them, of which an execution may have been begun. */
type Begun = Omit<BulkOutcome, 'became'> & {
  readonly became: BulkOutcome['became'] | { readonly id: string };
};

/** Of one sending. */
export const MAX_CHOSEN = 100;

/** What the checkbox of a task sends. */
export const chosenValue = (task: TaskRow): string => `${task.publicId}~${markOf(task)}`;

/** Tells a version of a task from the 46,655 before it, in few letters: a list has many. */
const markOf = ({ version }: Pick<TaskRow, 'version'>): string => (version % 36 ** 3).toString(36);

/** The tasks that a form has chosen, each once. */
export function chosenIn(form: URLSearchParams): ChosenTask[] {
  const chosen = form.getAll('task').map((text): [string, ChosenTask] => {
    const [, publicId = '', mark = ''] = /^([\w-]{1,64})~([\da-z]{1,3})$/.exec(text) ?? [];
    return [publicId, { publicId, mark }];
  });
  return [...new Map(chosen).values()];
}

/** What tells this sending of the form from others. */
export function onceIn(form: URLSearchParams): string {
  const once = form.get('once') ?? '';
  return /^[\w-]{1,64}$/.test(once) ? once : randomText(9);
}

/** Does one thing with many tasks, each for itself, as its reader: what is refused keeps no other from being done. */
@Injectable()
export class BulkEdits {
  constructor(
    private readonly tasks: TasksService,
    private readonly batches: BatchWriter,
    private readonly executions: ExecutionsService,
  ) {}

  /** All are done, whoever waits for that: until the time is up, when the rest is refused. */
  async apply(asked: Scope, chosen: readonly ChosenTask[], deed: BulkDeed): Promise<BulkOutcome[]> {
    const work = (): Promise<BulkOutcome[]> => this.applyAll(unbounded(asked), chosen, deed);
    return asked.deadline ? asked.deadline.except(work) : work();
  }

  private async applyAll(
    scope: Scope,
    chosen: readonly ChosenTask[],
    deed: BulkDeed,
  ): Promise<BulkOutcome[]> {
    const until = Date.now() + MOST_MS;
    const write = this.batches.eachOf(scope);
    const done: Begun[] = [];
    for (const one of chosen) {
      let task: TaskRow | undefined;
      try {
        if (Date.now() > until) throw unavailable(tooBusy);
        task = await this.tasks.findNamed(scope, one);
        if (task && markOf(task) !== one.mark) throw preconditionFailed();
        const became = !task ? ('refused' as const) : await this.doTo(scope, task, deed, write);
        done.push({ publicId: one.publicId, task, reasons: [], became });
      } catch (error) {
        done.push({ publicId: one.publicId, task, became: 'refused', reasons: reasonsOf(error) });
      }
    }
    const ends = Date.now() + MOST_WAIT_MS;
    const ended: BulkOutcome[] = [];
    for (const outcome of done) ended.push(await this.ended(scope, outcome, ends));
    return ended;
  }

  /** Writes the value, unless the task changes before, or begins the action, unless the same form has. */
  private async doTo(
    scope: Scope,
    task: TaskRow,
    deed: BulkDeed,
    write: WriteRows,
  ): Promise<Begun['became']> {
    const { publicId } = task;
    if ('name' in deed) {
      const of = { task: { publicId }, states: [stateOfTask(task)] };
      const [outcome] = await write([{ row: 1, content: new Map([[deed.name, deed.value]]), of }]);
      if (outcome?.status === 'error') throw new InvalidFields(outcome.errors);
      return outcome?.status === 'unchanged' ? 'unchanged' : 'changed';
    }
    const { actionId, once } = deed;
    const payload = new Map<string, Json>([['task_id', publicId], ['action_id', actionId]]); // prettier-ignore
    const idempotencyKey = `list ${once} ${actionId} ${publicId}`;
    const options = { idempotencyKey, waitMs: 0, task: { publicId } };
    return this.executions.start(scope, payload, options);
  }

  /** What became of an execution that was begun, as soon as it has ended or the time is up. */
  private async ended(scope: Scope, { became, ...outcome }: Begun, until: number): Promise<BulkOutcome> {
    if (typeof became === 'string') return { ...outcome, became };
    const { status, errors } = await this.executions.read(scope, became.id, Math.max(0, until - Date.now()));
    if (status === 'Pending') return { ...outcome, became: 'running' };
    const reasons = (errors ?? []).map(messageOfText);
    return { ...outcome, became: status === 'Success' ? 'changed' : 'refused', reasons };
  }
}

/** For all of them, and for their ends: the reader waits. */
const MOST_MS = 20_000;
const MOST_WAIT_MS = 5000;

const tooBusy = 'The service is busy: try again.';

/** Why one task was refused; what is no answer to it is thrown on. */
function reasonsOf(error: unknown): readonly Message[] {
  if (error instanceof RefusedExecution) return error.errors;
  if (error instanceof Refusal) return [error.said];
  if (isDatabaseUnavailable(error) && !isDatabaseGone(error)) return [tooBusy];
  if (!(error instanceof InvalidFields)) throw error;
  return error.fields.flatMap(([name, messages]) =>
    messages.map((message) => (name === 'base' ? message : ofField(name, message))),
  );
}
