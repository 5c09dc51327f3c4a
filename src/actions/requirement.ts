import { type Static, type TSchema } from 'typebox';
import { type EntityManager } from 'typeorm';
import { type Expression } from '../expressions/expression.js';
import { type User } from '../schema/field-type.js';
import { type TaskRow } from '../task-store/task-row.js';
import { type Scope } from '../workspace/scope.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Report, type WorkflowScope } from '../workspace/check/kit.js';
import { type ActionContext } from './action-context.js';
import { type StepRenames } from './step.js';
import { type Message } from '../lib/message.js';

/** What stands in the way of an action. */
export interface Unmet {
  readonly message: Message;
  /** The key of the task that would have to change, where it is one: pages lead there. */
  readonly about?: string | undefined;
  /** Whether that key is blank and must not be: then its name says all. */
  readonly isBlank?: true;
  /** Whether it is the checklist that would. */
  readonly isOfChecklist?: true;
  /** Whether it is approvals that are missing. */
  readonly isOfApprovals?: true;
  /** Whether the performer may not at all. */
  readonly isOfRole?: true;
}

/**
 * Something that must hold before an action may begin: says what is missing; nothing when it holds. `data` is what its kind
 * has loaded. The type of a method, so that kinds with data of any type stand in one list.
 */
export type Requirement<Data = unknown> = {
  unmet(context: ActionContext, data: Data): readonly Unmet[];
}['unmet'];

/** What an action says of a kind of requirement. */
export interface Wanted<Settings = unknown> {
  readonly actionId: string;
  readonly settings: Settings;
}

/** What is asked of the database for a requirement. */
export interface LoadQuestion {
  readonly scope: Scope;
  readonly task: TaskRow;
  readonly performer: User | undefined;
}

/**
 * A kind of requirement, whole: what a definition says of it, how that is checked, what a rename does to it, and when it
 * is met. Add one: a file in requirements/, and a line in requirement-types.ts.
 */
export interface RequirementType<Settings = unknown, Data = unknown> {
  /** What stands under its key; its title and description are those of the requirement. */
  readonly settings: TSchema;
  /** Reports what does not fit the workflow; `holder` is what it stands in, under its key. */
  check?(wanted: Settings, scope: WorkflowScope, report: Report): void;
  /** The settings after stages, fields and users were renamed. */
  rename?(wanted: Settings, renames: StepRenames): Settings;
  /**
   * Reads what it needs beside the task's own row, once for all actions that are asked about: `wanted` is what each of
   * these says, and so `Data` is told by actions where it differs between them. Then an execution judges it under the
   * lock of the task.
   */
  load?(db: EntityManager, question: LoadQuestion, wanted: readonly Wanted<Settings>[]): Promise<Data>;
  /**
   * Reads the same for many tasks of a workspace by one statement, by their ids; absent where that is not possible: then
   * lists do not judge it.
   */
  loadMany?(
    db: EntityManager,
    tasks: readonly Pick<LoadQuestion, 'scope' | 'task'>[],
  ): Promise<ReadonlyMap<string, Data>>;
  /** What it evaluates, compiled one by one: the linked tasks that are named there are read into the context. */
  expressions?(wanted: Settings, schema: TaskSchema): Iterable<Expression>;
  /** What people are asked before the action begins. */
  question?(wanted: Settings): string;
  /** Compiles what the definition says, once. Nothing where it asks for nothing that a service could enforce. */
  compile(wanted: Settings, schema: TaskSchema, actionId: string): Requirement<Data> | undefined;
}

/** A kind of requirement whose settings have the type that their schema gives them. */
export function requirementType<Schema extends TSchema, Data>(
  settings: Schema,
  type: Omit<RequirementType<Static<Schema>, Data>, 'settings'>,
): RequirementType {
  return { settings, ...type };
}
