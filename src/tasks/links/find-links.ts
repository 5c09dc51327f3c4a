import { type EntityManager } from 'typeorm';
import { isEndSeen, isSeen, sightFrom, sqlSeen } from '../store/seen.js';
import { findTaskId } from '../store/task-keys.js';
import { ofWorkflow } from '../store/task-row.js';
import { noTask } from '../../workflows/model/not-found.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { type Guard, type TaskLocks } from '../../workflows/fields/protection.js';
import { type Link } from '../../workflows/fields/task-schema.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface LinkChange {
  readonly link: Link;
  /**
   * `complete-set`: the tasks of `references` replace all linked tasks that the viewer sees. `added`,
   * `removed`: the tasks of `references` are linked or unlinked. `ended`: all links end, including links to
   * tasks that the viewer does not see. `visited`: all linked tasks are locked, but no link changes.
   */
  readonly as: 'complete-set' | 'added' | 'removed' | 'ended' | 'visited';
  /** The refusal for a caller who may not change these links. */
  readonly guard?: Guard | undefined;
  /** The stages that lock the links, at both ends; absent if no locks apply. */
  readonly locks?: TaskLocks | undefined;
  /** The Unique IDs of the tasks at the other end. */
  readonly references: readonly string[];
  /** Whether to refuse the change if a task of `references` would lose its link to another task. */
  readonly linksOnlyFree?: boolean | undefined;
}

/** A task by its internal id. */
export interface TaskPlace {
  readonly workflowId: number;
  /** The id is a bigint, as text. */
  readonly id: string;
}

/** A task at the other end of an existing link. */
export interface FarPlace extends TaskPlace {
  /** False if the viewer does not see the task. Null or absent if the query did not check this. */
  readonly isSeen?: boolean | null | undefined;
  /** Whether this transaction created the task. Its links are then part of its first version. */
  readonly isNew?: boolean;
}

/** Identifies a task by its id, which never changes, or by its Unique ID, which another task may get. */
export type TaskReference =
  | { readonly uniqueId: string | null; readonly taskId?: undefined }
  | { readonly taskId: string; readonly uniqueId?: undefined };

/** Resolves a name to a reference. Throws 404 if no task has the public id; does not look up a Unique ID. */
export async function referenceTo(
  db: EntityManager,
  scope: Scope,
  name: TaskName | null,
): Promise<TaskReference> {
  if (name === null || typeof name === 'string') return { uniqueId: name };
  const taskId = await findTaskId(db, scope, name);
  if (taskId === undefined) throw noTask(scope.workflow, name);
  return { taskId };
}

export interface FoundLinks {
  readonly task: TaskPlace | undefined;
  readonly changes: readonly FoundChange[];
}

/** A change, and the tasks that it concerns. */
export interface FoundChange extends LinkChange {
  /** Maps Unique IDs to the tasks of `references` that exist and that the viewer sees. */
  readonly found: ReadonlyMap<string, TaskPlace>;
  readonly held: readonly FarPlace[];
  /** Tasks that would lose their link to a found task; `value` is the id of the found task. */
  readonly rivals: readonly FoundRow[];
}

/** Reads the task, if it exists. Reads the tasks of `references`, and the links that the changes need. */
export async function findLinks(
  db: EntityManager,
  scope: Scope,
  reference: TaskReference,
  changes: readonly LinkChange[],
): Promise<FoundLinks> {
  const {
    workflow: { id, version },
    workspaceId,
  } = scope;
  const links = changes.map(({ link }) => link);
  const references = changes.flatMap((change, at) =>
    change.references.map((value) => ({ at, change, value })),
  );
  const rows = await sqlSeen<FoundRow>(db, scope, find, [
    workspaceId,
    id,
    version,
    reference.uniqueId,
    links.map(({ relationshipId }) => relationshipId),
    links.map(({ isFrom }) => isFrom),
    links.map(({ isExclusive }, at) => isExclusive && changes[at]?.as !== 'removed'),
    changes.map(needsAllHeld),
    references.map(({ at }) => at + 1),
    references.map(({ change }) => change.link.otherWorkflowId),
    references.map(({ value }) => value),
    reference.taskId,
  ]);
  return foundIn(rows, changes);
}

function foundIn(rows: readonly FoundRow[], changes: readonly LinkChange[]): FoundLinks {
  const task = rows.find(({ role }) => role === 'task');
  const found = changes.map((change, at): FoundChange => {
    const of = (role: FoundRow['role']): FoundRow[] =>
      rows.filter((row) => row.role === role && row.at === at + 1);
    return {
      ...change,
      found: new Map(of('found').map((row) => [row.value, row])),
      held: of('held'),
      rivals: of('rival').filter(({ id }) => id !== task?.id),
    };
  });
  return { task, changes: found };
}

/** Whether a change needs all present links, not only those to its `references`. */
function needsAllHeld({ link, as }: LinkChange): boolean {
  return ['complete-set', 'ended', 'visited'].includes(as) || !link.isMultiple;
}

interface FoundRow extends FarPlace {
  readonly role: 'definition' | 'task' | 'found' | 'held' | 'rival';
  readonly at: number | null;
  readonly value: string;
}

const sight = sightFrom(13);

type End = 'from' | 'to';

const heldOf = (near: End, far: End): string => `
    SELECT 'held', s.at, l.${far}_workflow_id, l.${far}_id::text, NULL, ${isEndSeen(far, sight)} FROM task
    JOIN side s ON s.is_from = ${near === 'from'}
    JOIN links l ON l.workspace_id = $1 AND l.${near}_id = task.id AND l.relationship_id = s.relationship_id
      AND (s.needs_all_held OR l.${far}_id IN (SELECT f.id FROM found f WHERE f.at = s.at))`;

const rivalsOf = (near: End, far: End): string => `
    SELECT 'rival', s.at, l.${near}_workflow_id, l.${near}_id::text, l.${far}_id::text, ${isEndSeen(near, sight)} FROM found
    JOIN side s ON s.at = found.at AND s.is_from = ${near === 'from'} AND s.is_exclusive
    JOIN links l ON l.workspace_id = $1 AND l.${far}_id = found.id AND l.relationship_id = s.relationship_id`;

const find = {
  name: 'find-links',
  text: `
    WITH task AS (
      SELECT t.id FROM tasks t WHERE ${ofWorkflow} AND t.unique_value = $4 AND ${isSeen('t', sight)}
      UNION ALL
      SELECT t.id FROM tasks t WHERE ${ofWorkflow} AND t.id = $12::bigint
    ), side AS (
      SELECT relationship_id, is_from, is_exclusive, needs_all_held, at::integer
      FROM unnest($5::text[], $6::boolean[], $7::boolean[], $8::boolean[])
        WITH ORDINALITY s (relationship_id, is_from, is_exclusive, needs_all_held, at)
    ), found AS (
      SELECT r.at, t.workflow_id, t.id, r.value
      FROM unnest($9::integer[], $10::integer[], $11::text[]) r (at, workflow_id, value)
      JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = r.workflow_id AND t.unique_value = r.value
        AND ${isSeen('t', sight)}
    )
    SELECT 'definition' AS role, NULL::integer AS at, NULL::integer AS "workflowId", NULL::text AS id,
      assert_definition($1, $2, $3)::text AS value, NULL::boolean AS "isSeen"
    UNION ALL
    SELECT 'task', NULL, $2, id::text, NULL, NULL FROM task
    UNION ALL
    SELECT 'found', at, workflow_id, id::text, value, NULL FROM found
    UNION ALL ${heldOf('from', 'to')}
    UNION ALL ${heldOf('to', 'from')}
    UNION ALL ${rivalsOf('from', 'to')}
    UNION ALL ${rivalsOf('to', 'from')}`,
};

type HeldLink = FarPlace & Pick<Link, 'relationshipId' | 'isFrom'>;

/** Returns all links of a task, including those to unseen tasks, in the order of the linked tasks' ids. */
export function findLinksOf(db: EntityManager, scope: Scope, taskId: string): Promise<HeldLink[]> {
  return sqlSeen<HeldLink>(db, scope, findOf, [scope.workspaceId, taskId]);
}

const linksOf = (near: End, far: End): string => `
  SELECT l.relationship_id AS "relationshipId", ${near === 'from'} AS "isFrom",
    l.${far}_workflow_id AS "workflowId", l.${far}_id::text AS id, ${isEndSeen(far, sightFrom(3))} AS "isSeen"
  FROM links l WHERE l.workspace_id = $1 AND l.${near}_id = $2`;

const findOf = {
  name: 'find-links-of',
  text: `SELECT * FROM (${linksOf('from', 'to')} UNION ALL ${linksOf('to', 'from')}) l ORDER BY l.id::bigint`,
};

/** Returns the tasks linked on one side of a relationship, in the order of their ids. */
export async function readHeld(
  db: EntityManager,
  scope: Scope,
  taskId: string,
  { relationshipId, isFrom }: Link,
): Promise<TaskPlace[]> {
  const held = await findLinksOf(db, scope, taskId);
  return held.filter((one) => one.relationshipId === relationshipId && one.isFrom === isFrom);
}
