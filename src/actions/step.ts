import { type EntityManager } from 'typeorm';
import { type Static, type TObject } from 'typebox';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type Report, type WorkflowScope } from '../workflows/model/check/kit.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { pauses } from '../../packages/fair/turn.js';
import { validateUpdate } from '../workflows/fields/validate-task.js';
import { parseTask } from '../workflows/fields/parse-task.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type Link } from '../workflows/fields/task-schema.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type MessageKey } from '../messages/messages.repository.js';
import { type ActionContext } from './action-context.js';
import { type EffectAnswer, type EffectKind } from './effect.js';
import { NoSecret } from '../access/secrets.js';
import { TellingError } from '../common/errors.js';
import { InvalidFields } from '../common/field-errors.js';
import { ExpressionError, TakesTooLong, TooManyLinked } from '../workflows/expressions/expression-error.js';
import { english, joined, type Message, ofField } from '../common/message.js';

/** A type of steps. To add one, write a file in steps/ and a line in step-types.ts. */
export interface StepType<Settings extends object = object> {
  /** The schema of the type's own settings. Its title and description are those of the step type. */
  readonly settings: TObject;
  /** Reports settings that do not fit the workflow. */
  check?(step: StepDefinition<Settings>, scope: WorkflowScope, report: Report): void;
  /**
   * The links whose linked tasks the step may change. If the step needs `run.tx` for another reason, returns
   * an empty list. Absent if the step changes only the row of its task, or gets `run.tx` by `isSentLater`.
   */
  touches?(step: StepDefinition<Settings>, workflow: Workflow): readonly Link[];
  /** The effect on another system. `run.effect` executes it before the task is locked. */
  readonly effect?: EffectKind;
  /** Whether the step queues a message that is sent after the commit. The step then ends as `Queued`. */
  readonly isSentLater?: boolean;
  readonly needsMail?: boolean;
  /** Whether the step must be the last of its action. */
  readonly isLast?: boolean;
  /** Executes the step on the working copy; throws `StepFailed` if that is impossible. */
  run(step: StepDefinition<Settings>, run: Run): Promise<void> | void;
}

export function stepType<Schema extends TObject>(
  settings: Schema,
  type: Omit<StepType<Static<Schema>>, 'settings'>,
): StepType {
  return { settings, ...type };
}

/**
 * The outcome of a step. If a step fails, the steps that ran before it are Undone, because their changes are
 * rolled back. Effects on other systems cannot be undone, so a step whose effect was answered stays Success.
 */
export interface StepOutcome {
  readonly name: string;
  readonly status: 'Success' | 'Queued' | 'Undone' | 'Fail' | 'Skipped';
  /** Why the step was skipped. */
  readonly because?: 'when' | 'not reached';
}

/** Thrown to end the execution as `Fail` with these errors. */
export class Failure extends Error {
  constructor(
    readonly errors: readonly Message[],
    readonly outcomes: readonly StepOutcome[],
    /** The causes, for the log. They contain no values of tasks. */
    readonly causes = errors.map(english),
  ) {
    super('the execution fails');
  }
}

export function notBegun(steps: readonly StepDefinition[]): StepOutcome[] {
  return steps.map(({ name }) => notReached(name));
}

export function notReached(name: string): StepOutcome {
  return { name, status: 'Skipped', because: 'not reached' };
}

/** An execution that runs its steps on a working copy of the task. */
export interface Run {
  /** The context, with the task as the previous steps have changed it. */
  context: ActionContext & { readonly task: TaskRow };
  change: TaskChange;
  readonly action: { readonly id: string; readonly name: string };
  /** The id of the execution. */
  readonly execution: string;
  /** The index of the current step. */
  step: number;
  /** The messages to send after the commit. */
  readonly messages: MessageKey[];
  readonly workflowOf: (id: number) => Workflow;
  /** Returns the answer to the effect of the step. Calls `request` only if no answer is stored yet. */
  effect: (request: () => Promise<unknown>) => Promise<EffectAnswer>;
  /**
   * The JSON of the task as in a response, with its linked tasks. If these are too large for memory, returns
   * pieces; an effect that sends the whole task must limit the size.
   */
  readonly textOf: (task: TaskRow) => string | AsyncIterable<string>;
  /** The public address of the service. */
  readonly address: string;
  /** Throws `NoSecret` if the secret is not set. */
  readonly secret: (name: string) => string;
  /** The connection for checks: `tx` if there is one, otherwise a connection without a transaction. */
  readonly reads: EntityManager;
  /**
   * The transaction that locks the task, and the linked tasks of `touches`. Undefined in a rehearsal: a run
   * that only makes the requests of effects. Also undefined if one statement applies all steps: no step then
   * has `touches` or `isSentLater`, and the action reads and writes nothing but its task.
   */
  readonly tx: EntityManager | undefined;
  hasChangedLinks: boolean;
  isDeleted: boolean;
}

export async function changeTask(run: Run, payload: JsonObject): Promise<void> {
  const { scope, task } = run.context;
  const parsed = await parseTask(scope.workflow.schema, payload, pauses(scope), 'action');
  const { uniqueValue } = parsed.change;
  if (uniqueValue !== undefined && uniqueValue !== task.uniqueValue)
    throw new StepFailed(ofField(scope.workflow.schema.uniqueId?.name ?? '', 'cannot be changed by a step'));
  validateUpdate(scope.workflow.schema, parsed, task).throwIfAny();
  run.change = merged(run.change, parsed.change);
  run.context = { ...run.context, task: taskAfter(task, parsed.change) };
}

function merged(before: TaskChange, { set, blank, stageId, assigneeId }: TaskChange): TaskChange {
  const kept = [...before.set].filter(([field]) => !blank.has(field));
  const blanked = [...before.blank].filter((field) => !set.has(field));
  return {
    ...before,
    ...(stageId !== undefined && { stageId }),
    ...(assigneeId !== undefined && { assigneeId }),
    set: new Map([...kept, ...set]),
    blank: new Set([...blanked, ...blank]),
  };
}

export function taskAfter<Task extends TaskView>(
  task: Task,
  { set, blank, stageId, assigneeId }: TaskChange,
): Task {
  const kept = Object.entries(task.fieldValues).filter(([field]) => !blank.has(field));
  return {
    ...task,
    stageId: stageId ?? task.stageId,
    assigneeId: assigneeId === undefined ? task.assigneeId : assigneeId,
    fieldValues: Object.fromEntries([...kept, ...set]),
  };
}

/** Thrown if a step cannot be executed. Clients see the message. */
export class StepFailed extends TellingError {}

/** Returns the message for clients; undefined if the error is a fault of the service. */
export function reasonOfFailure(error: unknown): Message | undefined {
  if (error instanceof StepFailed || error instanceof NoSecret || error instanceof ExpressionError)
    return error.said;
  if (!(error instanceof InvalidFields)) return undefined;
  const reasons = error.fields.flatMap(([name, messages]) =>
    messages.map((message) => (name === 'base' ? message : ofField(shownName(name), message))),
  );
  return joined(reasons, '; ');
}

/** Returns the cause of an error for the log, without results of expressions. */
export function causeOf(error: unknown): string {
  if (error instanceof StepFailed || error instanceof NoSecret) return error.message;
  if (error instanceof TakesTooLong || error instanceof TooManyLinked) return error.message;
  return error instanceof InvalidFields ? 'a value is refused' : 'an expression cannot be evaluated';
}

/** Shortens a field name from another system, and replaces characters that PostgreSQL may reject. */
function shownName(name: string): string {
  return name
    .slice(0, 100)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\ufffd');
}
