import { type Static, type TSchema } from 'typebox';
import { type EntityManager } from 'typeorm';
import { type Expression } from '../workflows/expressions/expression.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type Scope } from '../workflows/model/scope.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type Report, type WorkflowScope } from '../workflows/model/check/kit.js';
import { type ActionContext } from './action-context.js';
import { type Message } from '../common/message.js';

/** An unmet requirement of an action. */
export interface Unmet {
  readonly message: Message;
  /** The name of the task's key that must change, if any. Pages link to this key. */
  readonly about?: string | undefined;
  /** Whether the key that `about` names is blank. Pages then show only the name of the key. */
  readonly isBlank?: true;
  readonly isOfChecklist?: true;
  readonly isOfApprovals?: true;
  /** Whether the performer may not start the action at all. */
  readonly isOfRole?: true;
}

/**
 * Returns the unmet requirements, or an empty list. `data` is what `RequirementType.load` returned for the
 * task. This is the type of a method, so that one list can hold requirements with different `Data`.
 */
export type Requirement<Data = unknown> = {
  unmet(context: ActionContext, data: Data): readonly Unmet[];
}['unmet'];

/** A task with the scope in which its requirements are checked. */
export interface PlacedTask {
  readonly scope: Scope;
  readonly task: TaskRow;
}

/** A type of requirements. To add one, write a file in requirements/ and a line in requirement-types.ts. */
export interface RequirementType<Settings = unknown, Data = unknown> {
  /** The schema of the settings. Its title and description are those of the requirement. */
  readonly settings: TSchema;
  /** Reports settings that do not fit the workflow. */
  check?(wanted: Settings, scope: WorkflowScope, report: Report): void;
  /**
   * Loads the data that `unmet` needs in addition to the rows of the tasks. Runs once for all actions in
   * `actionIds`, and returns a map from task ids to data. If actions need different data, the data of a task
   * must contain the data of every action. If `db` is the transaction of an execution, the task is locked.
   */
  load?(
    db: EntityManager,
    tasks: readonly PlacedTask[],
    actionIds: readonly string[],
  ): Promise<ReadonlyMap<string, Data>>;
  /** The expressions that the requirement evaluates. The context contains the linked tasks that they read. */
  expressions?(wanted: Settings, schema: TaskSchema): Iterable<Expression>;
  /** The question that people must confirm before the action begins. */
  question?(wanted: Settings): string;
  /** Compiles the settings once. Returns undefined if there is nothing to check. */
  compile(wanted: Settings, schema: TaskSchema, actionId: string): Requirement<Data> | undefined;
}

export function requirementType<Schema extends TSchema, Data>(
  settings: Schema,
  type: Omit<RequirementType<Static<Schema>, Data>, 'settings'>,
): RequirementType {
  return { settings, ...type };
}
