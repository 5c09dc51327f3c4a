import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../../common/database/sql.js';
import { type TaskName, textOfName } from '../../workflows/model/task-name.js';
import { type Bindings } from './where.sql.js';
import { type Scope, type Bound } from '../../workflows/model/scope.js';

// For viewers who do not see all tasks, statements have a condition on visibility and three more parameters.

export interface Sighted {
  /** SQL to append to a condition: the viewer sees the row with this alias. */
  readonly andSeen: (row: string) => string;
  /** SQL: the call that returns the linked tasks that the viewer sees. */
  readonly linkedTasks: (workspace: string, tasks: string) => string;
}

/** The parts for a viewer of all tasks. */
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

/** A viewer who does not see all tasks, and what they see. */
export type Sights = Pick<Bound, 'userId' | 'sight'>;

export interface SeenStatement {
  readonly whole: Statement;
  readonly bound: Statement;
}

/** Makes a statement about tasks that has this many parameters. */
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

/** Statements for a task that is named by its Unique ID, or by the id in its Task URL. The name is $3. */
export interface NamedStatement {
  readonly byUniqueId: SeenStatement;
  readonly byPublicId: SeenStatement;
}

/** Makes such a statement. `isNamed` is the SQL condition that the task `t` has this name. */
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

/** Runs it for the viewer of the scope and the named task; `further` are the values after the name. */
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

export function sqlSeen<Row>(
  db: EntityManager,
  { bound }: { readonly bound?: Sights | undefined },
  statement: SeenStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  if (!bound) return sql<Row>(db, statement.whole, values);
  return sql<Row>(db, statement.bound, [...values, ...sightValues(bound)]);
}

/** Binds the viewer's values only where the statement uses them. */
export function sightedBy({ bound }: Scope, bindings: Bindings): Sighted {
  if (!bound) return wholeSight;
  const sighted = (): Sighted => boundSight(sightValues(bound).map((value) => bindings.bind(value)));
  return {
    andSeen: (row) => sighted().andSeen(row),
    linkedTasks: (workspace, tasks) => sighted().linkedTasks(workspace, tasks),
  };
}

function sightValues({ userId, sight }: Sights): readonly unknown[] {
  return [sight.whole, sight.assigned, userId];
}
