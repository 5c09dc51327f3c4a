import { type EntityManager } from 'typeorm';
import { type Static, type TObject } from 'typebox';
import { type StepDefinition } from '../workspace/definition.js';
import { type SetDefinition } from '../workspace/schema-parts.js';
import { type Report, type WorkflowScope } from '../workspace/check/kit.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { pauses } from '../../packages/fair/turn.js';
import { validateUpdate } from '../schema/validate-task.js';
import { parseTask } from '../schema/parse-task.js';
import { type Output } from '../schema/field-type.js';
import { type ListedProperty } from '../schema/property.js';
import { type TaskShape } from '../schema/serialize-task.js';
import { type TaskChange } from '../schema/task-change.js';
import { type TaskView } from '../schema/task-view.js';
import { type TaskRow } from '../task-store/task-row.js';
import { type Link } from '../schema/task-schema.js';
import { type Workflow } from '../workspace/workspace.js';
import { type MessageKey } from '../messages/messages.repository.js';
import { type ActionContext } from './action-context.js';
import { type EffectAnswer, type EffectKind } from './effect.js';
import { TellingError } from '../lib/errors.js';
import { InvalidFields } from '../lib/field-errors.js';
import { type Expression } from '../expressions/expression.js';
import { ExpressionError, TooCostly, TooManyLinked } from '../expressions/expression-error.js';
import { english, joined, type Message, ofField } from '../lib/message.js';

/**
 * A type of step, whole: what it says, how that is checked, what a rename does to it, what it touches and what it does.
 * Add one: a file in steps/, and a line in step-types.ts.
 */
export interface StepType<Settings extends object = object> {
  /** What a step says beyond its name and type; its title and description are those of the type. */
  readonly settings: TObject;
  /** Reports what does not fit the workflow. */
  check?(step: StepDefinition<Settings>, scope: WorkflowScope, report: Report): void;
  /** The step after stages, fields and users were renamed. */
  rename?(step: StepDefinition<Settings>, renames: StepRenames): StepDefinition<Settings>;
  /** The links whose other ends it may alter. Absent where it alters nothing but the row of its task. */
  touches?(step: StepDefinition<Settings>, workflow: Workflow): readonly Link[];
  /** What it evaluates, compiled one by one: the linked tasks that are named there are read into the context. */
  expressions?(step: StepDefinition<Settings>, workflow: Workflow): Iterable<Expression>;
  /** What it does outside, by `run.effect`, before the task is locked. */
  readonly effect?: EffectKind;
  /** Whether the action goes on where it cannot be done. */
  goesOn?(step: StepDefinition<Settings>): boolean;
  /** What it may change of tasks. */
  changes?(step: StepDefinition<Settings>, scope: WorkflowScope): readonly PossibleChange[];
  /** How many seconds it may take with all its tries. */
  seconds?(step: StepDefinition<Settings>): number;
  /** Whether it leaves a message that is sent once the execution has succeeded: its outcome is `Queued`. */
  readonly isSentLater?: boolean;
  /** Whether it needs a mail server. */
  readonly needsMail?: boolean;
  /** Whether another step of its type right behind it leaves nothing of it. */
  readonly isReplaced?: boolean;
  /** Whether no step may come after it. */
  readonly isLast?: boolean;
  /**
   * What it will do, as a sentence about it: `moves to Approved`. It is asked once the step has been rehearsed, so that the
   * task of the run is as the step would leave it.
   */
  foretell?(step: StepDefinition<Settings>, foretold: Foretold): Promise<Message> | Message;
  /** Does it to the working copy of a run; throws a `StepFailed` where it cannot be done. */
  run(step: StepDefinition<Settings>, run: Run): Promise<void> | void;
}

/** What a step that is told of beforehand knows. */
export interface Foretold {
  readonly run: Run;
  /** A value as who asks writes it; undefined where a sentence names the key alone. Undefined where values are not known yet. */
  readonly write: ((property: ListedProperty, value: Output) => string | undefined) | undefined;
}

/** What an action may change, as far as its definition tells. */
export interface PossibleChange {
  /** What happens to a task of the workflow; of an end, to an execution of one of its actions. */
  readonly is: 'set' | 'created' | 'linked' | 'ended';
  readonly workflow: string;
  /** A key of the task, or the id of the relationship or of the action. */
  readonly key: string;
  /** What it becomes, where that is written out. */
  readonly to?: string | undefined;
}

/** The keys that a step sets of tasks of a workflow. */
export function changesOf(
  set: SetDefinition,
  workflow: string,
  is: PossibleChange['is'] = 'set',
): PossibleChange[] {
  return Object.entries(set).map(([key, value]) => {
    const text = typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
    return { is, workflow, key, ...(text?.includes('{{') === false && { to: text }) };
  });
}

/** A type of step whose settings have the types that its schema gives them. */
export function stepType<Schema extends TObject>(
  settings: Schema,
  type: Omit<StepType<Static<Schema>>, 'settings'>,
): StepType {
  return { settings, ...type };
}

/** How names that a step uses have changed; a name that has not is given back as it is. */
export interface StepRenames {
  readonly stage: (name: string) => string;
  readonly field: (name: string) => string;
  readonly user: (email: string) => string;
  /** Values by the names of this workflow's fields. */
  readonly set: (set: SetDefinition) => SetDefinition;
  /** Values by the names of the fields at the other end of a relationship. */
  readonly linkedSet: (relationship: string, set: SetDefinition) => SetDefinition;
}

/**
 * What became of a step. When one fails, those before it are Undone: nothing of them is left. Effects outside cannot
 * be undone: they are Success once they were answered, however the execution ends.
 */
export interface StepOutcome {
  readonly name: string;
  readonly status: 'Success' | 'Queued' | 'Undone' | 'Fail' | 'Skipped';
  /** Why it failed, where the action went on all the same, or why it was skipped. */
  readonly because?: Message;
}

/** An execution ends as `Fail`, with these errors. */
export class Failure extends Error {
  constructor(
    readonly errors: readonly Message[],
    readonly outcomes: readonly StepOutcome[],
    /** What the log says in place of the errors: it holds no values of tasks. */
    readonly causes = errors.map(english),
  ) {
    super('the execution fails');
  }
}

/** The outcomes of steps of which none was begun. */
export function notBegun(steps: readonly StepDefinition[]): StepOutcome[] {
  return steps.map(({ name }) => notReached(name));
}

export function notReached(name: string): StepOutcome {
  return { name, status: 'Skipped', because: 'not reached' };
}

/** Steps under way on a working copy of a task. */
export interface Run {
  /** The task as the steps so far have made it, and who wants it. */
  context: ActionContext & { readonly task: TaskRow };
  /** What they have changed of it so far. */
  change: TaskChange;
  readonly action: { readonly id: string; readonly name: string };
  /** The execution. */
  readonly execution: string;
  /** The place of the step. */
  step: number;
  /** The messages that are to be sent once all of it is committed. */
  readonly messages: MessageKey[];
  /** The workflow of another task of the workspace. */
  readonly workflowOf: (id: number) => Workflow;
  /** What the effect of the step is answered; it is done only once in the life of an execution, and only then is its request made. */
  effect: (request: () => Promise<unknown>) => Promise<EffectAnswer>;
  /** The task's JSON in this shape, with all tasks that are linked to it, in pieces. */
  readonly textOf: (shape: TaskShape, task: TaskRow) => string | AsyncIterable<string>;
  /** A secret of the workspace. */
  readonly secret: (name: string) => string;
  /** The transaction that has locked the task and those linked to it; absent while the steps are only rehearsed. */
  readonly tx: EntityManager | undefined;
  /** Whether a step has changed links of the task. */
  isTouched: boolean;
  isDeleted: boolean;
}

/** Changes the working copy as a payload asks, under the usual validation. */
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

/** A task as a change leaves it. */
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

/** A step cannot be done; the message says why, and is shown to clients. */
export class StepFailed extends TellingError {}

/** Why a step failed, if that is what was thrown. */
export function reasonOfFailure(error: unknown): Message | undefined {
  if (error instanceof StepFailed || error instanceof ExpressionError) return error.said;
  if (!(error instanceof InvalidFields)) return undefined;
  const reasons = error.fields.flatMap(([name, messages]) =>
    messages.map((message) => (name === 'base' ? message : ofField(shownName(name), message))),
  );
  return joined(reasons, '; ');
}

/** What the log says of an error: without values of tasks and results of expressions. */
export function causeOf(error: unknown): string {
  if (error instanceof StepFailed || error instanceof TooCostly || error instanceof TooManyLinked)
    return error.message;
  return error instanceof InvalidFields ? 'a value is refused' : 'an expression cannot be evaluated';
}

/** What another system has called a field may be any text; one that is stored has no NUL. */
function shownName(name: string): string {
  return name
    .slice(0, 100)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\ufffd');
}
