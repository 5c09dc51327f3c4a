import { type TimeAllowed } from '../workflows/expressions/time-allowed.js';
import { type User, type Output } from '../workflows/fields/field-type.js';
import { type ListedProperty } from '../workflows/fields/property.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { decimal } from '../workflows/expressions/decimal.js';
import {
  type Expression,
  type ExpressionFacts,
  type ExpressionInput,
  type ExpressionValue,
  type LinkedValues,
  type TaskValues,
} from '../workflows/expressions/expression.js';
import { TooManyLinked } from '../workflows/expressions/expression-error.js';
import { JsonText } from '../../packages/exact-json/json.js';
import { type LinkedRead } from './linked-reads.js';
import { type Scope } from '../workflows/model/scope.js';

/**
 * The data against which an action is checked: a task at one moment, and the user who performs the action.
 */
export interface ActionContext extends ExpressionContext {
  readonly loaded: ReadonlyMap<object, unknown>;
  /** Fields that the action asks for. Requirements ignore the present values of these fields. */
  readonly asked?: ReadonlySet<string>;
}

export interface ExpressionContext {
  readonly scope: Scope;
  readonly task: TaskView;
  /** Maps relationship names to the linked tasks that expressions read, as each was before the first step. */
  readonly linked: ReadonlyMap<string, LinkedRead>;
  /** The user who performs the action; in a list of actions, the assumed performer. Undefined if there is none. */
  readonly performer: User | undefined;
  /** YYYY-MM-DD, in the time zone of the workspace. */
  readonly today: string;
  /** The time of the check. For an execution, the time at which it began. */
  readonly now: Date;
  /** The ids of the task's deadlines that are overdue at `now`; absent if no expression needs them. */
  readonly overdue?: readonly string[] | undefined;
  /** The remaining time for the evaluation of all expressions. */
  readonly timeAllowed: TimeAllowed;
}

/** A task at the other end of a relationship. Expressions call it `linked`. */
export interface LinkedSubject {
  readonly schema: TaskSchema;
  readonly task: TaskView;
}

/** Builds the input of an expression, with numbers as decimals and attachments as their names. */
export function expressionInput(
  context: ExpressionContext,
  expression: Expression,
  linked?: LinkedSubject,
  facts?: ExpressionFacts,
): ExpressionInput {
  const { scope, task, performer, today, now, overdue } = context;
  const own = valuesOf(expression.fields, (name) => scope.workflow.schema.byName.get(name), task);
  const values = new Map<string, ExpressionValue | LinkedValues>(own);
  for (const [name, fields] of expression.linked) values.set(name, linkedValues(context, name, fields));
  return {
    task: values,
    other: linked && valuesOf(expression.ofOther, (name) => linked.schema.byName.get(name), linked.task),
    performer: performer?.email ?? null,
    today,
    now: now.toISOString(),
    overdue,
    facts,
  };
}

/** Returns the values of the tasks linked under a name; throws if these are too many or too large. */
function linkedValues(
  { scope, linked }: ExpressionContext,
  name: string,
  fields: ReadonlySet<string>,
): LinkedValues {
  const key = scope.workflow.schema.byName.get(name)?.links;
  const tasks = linked.get(name) ?? [];
  if (tasks instanceof TooManyLinked) throw tasks;
  const values = tasks.map((task) => valuesOf(fields, (field) => key?.property(field), task));
  return key?.isMultiple ? values : (values[0] ?? null);
}

function valuesOf(
  names: ReadonlySet<string>,
  propertyOf: (name: string) => ListedProperty | undefined,
  task: TaskView,
): TaskValues {
  const values = new Map<string, ExpressionValue>();
  for (const name of names) values.set(name, valueIn(propertyOf(name), task));
  return values;
}

/** The value of a property in a task, as expressions read it: a number is a decimal. */
export function valueIn(property: ListedProperty | undefined, task: TaskView): ExpressionValue {
  const { inExpressions } = property ?? {};
  const output = inExpressions ? inExpressions.value(task) : (property?.serialize(task) ?? null);
  if (output instanceof JsonText) return null;
  return inExpressions?.kind === 'number' && typeof output === 'string' ? decimal(output) : valueOf(output);
}

function valueOf(output: Output): ExpressionValue {
  if (output === null || typeof output === 'string' || typeof output === 'boolean') return output;
  if (Array.isArray(output)) return (output as readonly Output[]).map(valueOf);
  throw new Error('expressions cannot hold the value of this type');
}
