import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../../common/database/sql.js';
import { type TaskName, textOfName } from '../../workflows/model/task-name.js';
import { type Bound, type Scope } from '../../workflows/model/scope.js';
import { type Bindings } from './where.sql.js';

/** A viewer who does not see all tasks, and the workflows where the viewer sees tasks. */
export type Sights = Pick<Bound, 'userId' | 'sight'>;

/**
 * Returns the workflows where the viewer sees all tasks, and those where the viewer sees only assigned tasks.
 * The third value is the id of the viewer. If the viewer sees all tasks, all three values are null.
 */
function sightValues({ bound }: { readonly bound?: Sights | undefined }): readonly unknown[] {
  return bound ? [bound.sight.whole, bound.sight.assigned, bound.userId] : [null, null, null];
}

/** SQL: the three values of `sightValues`. */
export type SightTexts = readonly [whole: string, assigned: string, viewer: string];

/** SQL: the values of `sightValues` as three parameters, of which the first has the number `first`. */
export const sightFrom = (first: number): SightTexts => [`$${first}`, `$${first + 1}`, `$${first + 2}`];

/** Adds the values of `sightValues` to a statement that is being built. */
export function bindSight(scope: Scope, bindings: Bindings): SightTexts {
  const first = bindings.values.length + 1;
  bindings.values.push(...sightValues(scope));
  return sightFrom(first);
}

/** SQL: the values of a viewer who sees all tasks. */
export const wholeSight: SightTexts = ['NULL', 'NULL', 'NULL'];

/** SQL: whether the viewer sees the row of `tasks` with this alias. */
export const isSeen = (row: string, [whole, assigned, viewer]: SightTexts): string => `(
  ${whole}::integer[] IS NULL OR ${row}.workflow_id = ANY(${whole}::integer[])
  OR (${row}.workflow_id = ANY(${assigned}::integer[]) AND ${row}.assignee_id = ${viewer}::text))`;

/**
 * SQL: whether the viewer sees the task at an end of the link `l` of the workspace $1. OFFSET 0 makes
 * PostgreSQL look up each task. Otherwise, PostgreSQL may read all visible tasks into a hash table.
 */
export const isEndSeen = (end: 'from' | 'to', sight: SightTexts): string => `(
  ${sight[0]}::integer[] IS NULL OR EXISTS (
    SELECT FROM tasks o
    WHERE o.workspace_id = $1 AND o.workflow_id = l.${end}_workflow_id AND o.id = l.${end}_id AND ${isSeen('o', sight)}
    OFFSET 0
  ))`;

/** SQL: calls the function that returns the linked tasks that the viewer sees. */
export const seenLinkedTasks = (workspace: string, tasks: string, sight: SightTexts): string =>
  `seen_linked_tasks(${workspace}, ${tasks}, ${sight.join(', ')})`;

/** Statements for a task that is named by its Unique ID, or by the id in its Task URL. The name is $3. */
interface NamedStatement {
  readonly byUniqueId: Statement;
  readonly byPublicId: Statement;
}

/** Creates a `NamedStatement`. `isNamed` is the SQL condition that the task `t` has this name. */
export const named = (name: string, text: (isNamed: string) => string): NamedStatement => ({
  byUniqueId: { name, text: text('t.unique_value = $3') },
  byPublicId: { name: `${name}-public`, text: text('t.public_id = $3') },
});

/** Runs a `NamedStatement` for a task. The values of `sightValues` follow the name as $4 to $6. */
export function sqlNamed<Row>(
  db: EntityManager,
  scope: Scope,
  { byUniqueId, byPublicId }: NamedStatement,
  task: TaskName,
): Promise<Row[]> {
  const statement = typeof task === 'string' ? byUniqueId : byPublicId;
  const values = [scope.workspaceId, scope.workflow.id, textOfName(task)];
  return sqlSeen<Row>(db, scope, statement, values);
}

/** Runs a statement whose last three parameters are those of `sightValues`. */
export function sqlSeen<Row>(
  db: EntityManager,
  viewer: { readonly bound?: Sights | undefined },
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return sql<Row>(db, statement, [...values, ...sightValues(viewer)]);
}
