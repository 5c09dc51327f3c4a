import { type Static, type TSchema } from 'typebox';
import { type Expression } from '../expressions/expression.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Report, type WorkflowScope } from '../workspace/check/kit.js';
import { type ActionContext } from './action-context.js';
import { type StepRenames } from './step.js';

/** What stands in the way of an action. */
export interface Unmet {
  readonly message: string;
  /** The key of the task that would have to change, where it is one: pages lead there. */
  readonly about?: string | undefined;
  /** Whether it is the checklist that would. */
  readonly isOfChecklist?: true;
}

/** Something that must hold before an action may begin: says what is missing; nothing when it holds. */
export type Requirement = (context: ActionContext) => readonly Unmet[];

/**
 * A kind of requirement, whole: what a definition says of it, how that is checked, what a rename does to it, and when it
 * is met. Add one: a file in requirements/, and a line in requirement-types.ts.
 */
export interface RequirementType<Settings = unknown> {
  /** What stands under its key; its title and description are those of the requirement. */
  readonly settings: TSchema;
  /** Reports what does not fit the workflow; `holder` is what it stands in, under its key. */
  check?(wanted: Settings, scope: WorkflowScope, report: Report): void;
  /** The settings after stages, fields and users were renamed. */
  rename?(wanted: Settings, renames: StepRenames): Settings;
  /** Whether it looks at more than the task's own row: then `context.isChecklistDone` is read. */
  readonly asksForChecklist?: boolean;
  /** What it evaluates, compiled one by one: the linked tasks that are named there are read into the context. */
  expressions?(wanted: Settings, schema: TaskSchema): Iterable<Expression>;
  /** What people are asked before the action begins. */
  question?(wanted: Settings): string;
  /** Compiles what the definition says, once. Nothing where it asks for nothing that a service could enforce. */
  compile(wanted: Settings, schema: TaskSchema): Requirement | undefined;
}

/** A kind of requirement whose settings have the type that their schema gives them. */
export function requirementType<Schema extends TSchema>(
  settings: Schema,
  type: Omit<RequirementType<Static<Schema>>, 'settings'>,
): RequirementType {
  return { settings, ...type };
}
