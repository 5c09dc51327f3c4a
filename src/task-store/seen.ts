import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../database/sql.js';
import { type TaskName, textOfName } from '../workspace/task-name.js';
import { type Bindings } from './where.sql.js';
import { type Scope, type Bound } from '../workspace/scope.js';

// Who sees all tasks has statements that ask nothing of that; for others they hold a condition, and three more parameters.

/** What a statement says of who looks. */
export interface Sighted {
  /** Behind a condition: and that the row of this name is seen. */
  readonly andSeen: (row: string) => string;
  /** The call that gives the linked tasks that are seen of these. */
  readonly linkedTasks: (workspace: string, tasks: string) => string;
}

/** For who sees all. */
export const wholeSight: Sighted = {
  andSeen: () => '',
  linkedTasks: (workspace, tasks) => `linked_tasks(${workspace}, ${tasks})`,
};

const boundSight = ([whole, assigned, viewer]: readonly string[]): Sighted => ({
  andSeen: (row) => ` AND ${isSeen(row, `${whole}::integer[]`, `${assigned}::integer[]`, `${viewer}::text`)}`,
  linkedTasks: (workspace, tasks) =>
    `seen_linked_tasks(${workspace}, ${tasks}, ${whole}::integer[], ${assigned}::integer[], ${viewer}::text)`,
});

const isSeen = (row: string, whole: string, assigned: string, viewer: string): string =>
  `(${row}.workflow_id = ANY(${whole}) OR (${row}.workflow_id = ANY(${assigned}) AND ${row}.assignee_id = ${viewer}))`;

/** Who does not see all, and what they do. */
export type Sights = Pick<Bound, 'userId' | 'sight'>;

/** A statement for who sees all, and one for others. */
export interface SeenStatement {
  readonly whole: Statement;
  readonly bound: Statement;
}

/** Makes a statement of so many parameters that looks at tasks. */
export function seen(
  { name, ...options }: Omit<Statement, 'text'> & { readonly name: string },
  parameters: number,
  text: (sighted: Sighted) => string,
): SeenStatement {
  const further = [1, 2, 3].map((nth) => `$${parameters + nth}`);
  return {
    whole: { name, ...options, text: text(wholeSight) },
    bound: { name: `${name}-seen`, ...options, text: text(boundSight(further)) },
  };
}

/** A statement for a task that its Unique ID names, and one for a task that the id in its Task URL does; either is $3. */
export interface NamedStatement {
  readonly byUniqueId: SeenStatement;
  readonly byPublicId: SeenStatement;
}

/** Makes one; `isNamed` is the condition that the task called `t` has that name. */
export function named(
  name: string,
  parameters: number,
  text: (sighted: Sighted, isNamed: string) => string,
): NamedStatement {
  const statement = (called: string, isNamed: string): SeenStatement =>
    seen({ name: called }, parameters, (sighted) => text(sighted, isNamed));
  return {
    byUniqueId: statement(name, 't.unique_value = $3'),
    byPublicId: statement(`${name}-public`, 't.public_id = $3'),
  };
}

/** Runs it for the viewer of a workflow and a task of that; `further` are the values behind its name. */
export function sqlNamed<Row>(
  db: EntityManager,
  scope: Scope,
  { byUniqueId, byPublicId }: NamedStatement,
  task: TaskName,
  further: readonly unknown[] = [],
): Promise<Row[]> {
  const statement = typeof task === 'string' ? byUniqueId : byPublicId;
  const values = [scope.workspaceId, scope.workflow.id, textOfName(task), ...further];
  return sqlSeen<Row>(db, scope, statement, values);
}

/** Runs it for the viewer of a workflow. */
export function sqlSeen<Row>(
  db: EntityManager,
  { bound }: { readonly bound?: Sights | undefined },
  statement: SeenStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  if (!bound) return sql<Row>(db, statement.whole, values);
  return sql<Row>(db, statement.bound, [...values, ...sightValues(bound)]);
}

/** How a statement that is put together for one request looks at tasks: values that it does not ask for are not bound. */
export function sightedBy({ bound }: Scope, bindings: Bindings): Sighted {
  if (!bound) return wholeSight;
  const sighted = (): Sighted => boundSight(sightValues(bound).map((value) => bindings.bind(value)));
  return {
    andSeen: (row) => sighted().andSeen(row),
    linkedTasks: (workspace, tasks) => sighted().linkedTasks(workspace, tasks),
  };
}

/** The three parameters. */
function sightValues({ userId, sight }: Sights): readonly unknown[] {
  return [sight.whole, sight.assigned, userId];
}
