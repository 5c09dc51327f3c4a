import { type Static, type TSchema } from 'typebox';
import { type EntityManager } from 'typeorm';
import { type Expression } from '../workflows/expressions/expression.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type Scope } from '../workflows/model/scope.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type Report, type WorkflowScope } from '../workflows/model/check/kit.js';
import { type ActionContext } from './action-context.js';
import { type Message } from '../common/message.js';

/** A reason why an action may not begin. */
export interface Unmet {
  readonly message: Message;
  /** The key of the task that would have to change, if it is only one; pages link to it. */
  readonly about?: string | undefined;
  /** Whether the reason is that this key is blank; then its name is the whole message. */
  readonly isBlank?: true;
  readonly isOfChecklist?: true;
  readonly isOfApprovals?: true;
  /** Whether the performer may not start the action at all. */
  readonly isOfRole?: true;
}

/**
 * Checks a condition for the start of an action; returns the reasons against it, or an empty list. `data` is what its
 * kind has loaded. As a method type, it lets kinds with different types of data fit in one list.
 */
export type Requirement<Data = unknown> = {
  unmet(context: ActionContext, data: Data): readonly Unmet[];
}['unmet'];

/** A task, under the definition by which it is judged. */
export interface PlacedTask {
  readonly scope: Scope;
  readonly task: TaskRow;
}

/** To add one, write a file in requirements/ and add a line to requirement-types.ts. */
export interface RequirementType<Settings = unknown, Data = unknown> {
  /** The schema of its settings; its title and description are those of the requirement. */
  readonly settings: TSchema;
  /** Reports settings that do not fit the workflow. */
  check?(wanted: Settings, scope: WorkflowScope, report: Report): void;
  /**
   * Loads data other than the rows of the tasks, by the ids of the tasks, once for all actions in question; data that
   * differ between actions must be stored by action. An execution calls this with its task locked.
   */
  load?(
    db: EntityManager,
    tasks: readonly PlacedTask[],
    actionIds: readonly string[],
  ): Promise<ReadonlyMap<string, Data>>;
  /** Whether one statement loads the data of many tasks; otherwise lists of tasks ignore the requirement. */
  readonly loadsMany?: true;
  /** The expressions that it evaluates, compiled one by one. The context gets the linked tasks that they read. */
  expressions?(wanted: Settings, schema: TaskSchema): Iterable<Expression>;
  /** What people have to confirm before the action begins. */
  question?(wanted: Settings): string;
  /** Compiles the settings once. Undefined if nothing is to be checked. */
  compile(wanted: Settings, schema: TaskSchema, actionId: string): Requirement<Data> | undefined;
}

export function requirementType<Schema extends TSchema, Data>(
  settings: Schema,
  type: Omit<RequirementType<Static<Schema>, Data>, 'settings'>,
): RequirementType {
  return { settings, ...type };
}
