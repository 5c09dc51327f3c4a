import { type EntityManager } from 'typeorm';
import { compileExpression, type Expression } from '../workflows/expressions/expression.js';
import { ExpressionError, TooLargeLinked, TooManyLinked } from '../workflows/expressions/expression-error.js';
import { type Fact, type OtherTask } from '../workflows/expressions/scope.js';
import { type Pause } from '../../packages/fair/turn.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { crowdedSides, pickLinked, type PickedTask } from '../tasks/store/linked-tasks.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type Scope } from '../workflows/model/scope.js';
import { say } from '../common/message.js';

/** Compiles an expression, or finds it in a cache. The expression may also read the task `other`. */
export function expressionOf(
  schema: TaskSchema,
  source: string,
  other?: OtherTask,
  facts?: readonly Fact[],
): Expression {
  const known = compiled.get(schema) ?? new Map<string, Expression>();
  compiled.set(schema, known);
  const key = `${other ?? ''} ${facts?.join() ?? ''} ${source}`;
  const scope = { follow: (name: string) => schema.byName.get(name)?.links, other, ...(facts && { facts }) };
  const expression = known.get(key) ?? compileExpression(source, scope);
  known.set(key, expression);
  return expression;
}

/** What expressions of steps may read besides the task: a linked task, and the body of a call's answer. */
export const readableInSteps = ['linked', ['body']] as const;

/** Like `expressionOf`, but returns undefined for a stored expression that this version cannot compile. */
export function expressionIfAny(
  schema: TaskSchema,
  source: string,
  other?: OtherTask,
  facts?: readonly Fact[],
): Expression | undefined {
  try {
    return expressionOf(schema, source, other, facts);
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/** Yields the compiled conditions of these settings, without those that this version cannot compile. */
export function* expressionsOf(
  settings: readonly { readonly when?: string }[],
  schema: TaskSchema,
): Generator<Expression> {
  for (const { when } of settings) {
    const expression = when === undefined ? undefined : expressionIfAny(schema, when);
    if (expression) yield expression;
  }
}

// Maps each schema to its compiled expressions, which are dropped together with the schema.
const compiled = new WeakMap<TaskSchema, Map<string, Expression>>();

/** Compiles the expressions of requirements or steps. After each expression, lets other requests run. */
export async function compileInTurns(
  parts: Iterable<Iterable<Expression>>,
  pause: Pause,
): Promise<Expression[]> {
  const expressions: Expression[] = [];
  for (const part of parts)
    for (const expression of part) {
      expressions.push(expression);
      await pause();
    }
  return expressions;
}

/** The maximum number of tasks that an expression may read through one relationship. */
const MAX_LINKED = 1000;

export type LinkedRead = readonly TaskView[] | TooManyLinked;

/** Maps relationship names to the linked tasks that these expressions use. Runs at most one query. */
export async function readLinkedSides(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  expressions: readonly Expression[],
): Promise<ReadonlyMap<string, LinkedRead>> {
  const sides = sidesOf(scope.workflow, expressions);
  if (sides.size === 0) return new Map();
  // If the viewer is restricted, `task.linked` lacks the tasks that the viewer does not see. The result must
  // not depend on the viewer, so the linked tasks are read again.
  const read = scope.bound ? null : task.linked;
  const found =
    read ??
    (await pickLinked(
      db,
      scope.workflow,
      task.id,
      [...sides.values()],
      fieldIds(scope.workflow, expressions),
      MAX_LINKED + 1,
    ));
  return new Map(
    Array.from(sides, ([name, side]) => [
      name,
      linkedUnder(
        name,
        found.filter((row) => row.side === side),
      ),
    ]),
  );
}

function linkedUnder(name: string, rows: readonly PickedTask[]): LinkedRead {
  if (rows.length > MAX_LINKED) return new TooManyLinked(say`more than 1,000 tasks are linked as ${name}`);
  const known = rows.filter(hasValues);
  return known.length === rows.length
    ? known
    : new TooLargeLinked(say`the tasks linked as ${name} are too large`);
}

function hasValues(row: PickedTask): row is PickedTask & TaskView {
  return row.fieldValues !== null;
}

export function sidesOf({ schema }: Workflow, expressions: readonly Expression[]): Map<string, string> {
  const names = new Set(expressions.flatMap(({ linked }) => [...linked.keys()]));
  return new Map(
    [...names].flatMap((name) => {
      const side = schema.byName.get(name)?.links?.side;
      return side === undefined ? [] : [[name, side] as const];
    }),
  );
}

/** Returns the sides on which the task has more linked tasks than an expression may read. */
export async function unreadableSides(
  db: EntityManager,
  workflow: Workflow,
  taskId: string,
  sides: readonly string[],
): Promise<readonly string[]> {
  const multiple = sides.filter((side) => workflow.schema.links.get(side)?.isMultiple);
  return multiple.length === 0 ? [] : crowdedSides(db, workflow, taskId, multiple, MAX_LINKED);
}

function fieldIds({ schema }: Workflow, expressions: readonly Expression[]): string[] {
  const ids = expressions.flatMap(({ linked }) =>
    Array.from(linked, ([name, fields]) =>
      Array.from(fields, (field) => schema.byName.get(name)?.links?.property(field)?.fieldId ?? []),
    ),
  );
  return [...new Set(ids.flat(2))];
}
