import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { TryAgain } from '../lib/errors.js';
import { FieldErrors } from '../lib/field-errors.js';
import { type BareTask, plainColumns, type TaskRow } from '../task-store/task-row.js';
import { type LinkedEnd } from '../workspace/allowed.js';
import { alteredBy, type Planned, planLinks } from './plan-links.js';
import { addLockedLinks } from './locked-links.js';
import { findLinks, type LinkChange, type TaskPlace, type TaskReference } from './find-links.js';
import { type Scope } from '../workspace/scope.js';

/** A task and all that changes of its links touch, locked until the transaction ends. */
export interface LockedLinks<Task = TaskRow> extends Planned {
  readonly task: Task | undefined;
  /** The other tasks whose links the plan alters, as far as the viewer sees them. */
  readonly others: readonly LinkedEnd[];
}

/** A locked task whose links do not change. */
export function withoutLinks(task: TaskRow | undefined): LockedLinks {
  return {
    task,
    plan: { added: [], removed: [], displaced: [] },
    errors: new FieldErrors(),
    missing: [],
    visited: [],
    others: [],
  };
}

/**
 * Does the work in a transaction that has locked the task, if there is one, and every task whose links the changes
 * alter. Whoever alters a link locks the tasks at both of its ends, all in the order of their ids:
 * so nobody waits in a circle, and under the locks the plan stays right. Which tasks these are is looked up before
 * and again behind the locks; where others were quicker, it begins anew with more locks.
 */
export async function withLinksLocked<T>(
  db: EntityManager,
  scope: Scope,
  reference: TaskReference,
  changes: readonly LinkChange[],
  work: (tx: EntityManager, locked: LockedLinks) => Promise<T>,
): Promise<T> {
  return withLocks({ scope, reference, changes, showsValues: true }, db, work);
}

/** Does work under the locks of `withLinksLocked` that needs none of the task's values. */
export async function withBareTaskLocked<T>(
  db: EntityManager,
  scope: Scope,
  reference: TaskReference,
  changes: readonly LinkChange[],
  work: (tx: EntityManager, locked: LockedLinks<BareTask>) => Promise<T>,
): Promise<T> {
  return withLocks({ scope, reference, changes, showsValues: false }, db, work);
}

interface Wanted {
  readonly scope: Scope;
  readonly reference: TaskReference;
  readonly changes: readonly LinkChange[];
  readonly showsValues: boolean;
}

async function withLocks<Task extends BareTask, T>(
  wanted: Wanted,
  db: EntityManager,
  work: (tx: EntityManager, locked: LockedLinks<Task>) => Promise<T>,
): Promise<T> {
  let known: readonly TaskPlace[] = [];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    try {
      return await db.transaction(async (tx) => work(tx, await lock(tx, wanted, known)));
    } catch (error) {
      if (!(error instanceof NotLocked)) throw error;
      known = error.places;
    }
  }
  throw new TryAgain('others change the same links');
}

const MAX_ATTEMPTS = 20;

/** More tasks have to be locked than were known. */
class NotLocked extends Error {
  constructor(readonly places: readonly TaskPlace[]) {
    super('more tasks have to be locked');
  }
}

async function lock<Task extends BareTask>(
  tx: EntityManager,
  { scope, reference, changes, showsValues }: Wanted,
  known: readonly TaskPlace[],
): Promise<LockedLinks<Task>> {
  const look = async (): Promise<Seen> => {
    const found = await findLinks(tx, scope, reference, changes);
    const planned = planLinks(changes, found);
    return { ...planned, taskId: found.task?.id, places: placesOf(found.task, planned) };
  };
  const first = known.length > 0 ? undefined : await look();
  if (first?.places.length === 0) return { ...first, task: undefined, others: [] };
  const places = first?.places ?? known;
  const rows = await sql<Task>(tx, lockTasks, [
    scope.workspaceId,
    places.map(({ workflowId }) => workflowId),
    places.map(({ id }) => id),
    scope.workflow.id,
    reference.uniqueId,
    reference.taskId,
    showsValues,
  ]);
  const locked = new Map(rows.map((row) => [row.id, row]));
  const seen = await look();
  if (!seen.places.every(({ id }) => locked.has(id))) throw new NotLocked(union(places, seen.places));
  addLockedLinks(seen, changes, seen.taskId, locked);
  const others = alteredBy(seen.plan).flatMap(({ id, workflowId, isSeen }) => {
    const row = isSeen === false ? undefined : locked.get(id);
    return row ? [{ workflowId, assigneeId: row.assigneeId }] : [];
  });
  return { ...seen, task: seen.taskId === undefined ? undefined : locked.get(seen.taskId), others };
}

interface Seen extends Omit<LockedLinks, 'task' | 'others'> {
  readonly taskId: string | undefined;
  readonly places: readonly TaskPlace[];
}

/** The tasks whose links the plan alters, and the task itself. */
function placesOf(task: TaskPlace | undefined, planned: Planned): TaskPlace[] {
  return union(task ? [task] : [], alteredBy(planned.plan), planned.visited);
}

function union(...lists: readonly (readonly TaskPlace[])[]): TaskPlace[] {
  return [...new Map(lists.flat().map((place) => [place.id, place])).values()];
}

// Sorted first and locked in that order; only the task itself is looked into.
const lockTasks = {
  name: 'lock-tasks',
  text: `
    SELECT ${plainColumns},
      CASE WHEN $7::boolean AND t.workflow_id = $4 AND (t.unique_value = $5 OR t.id = $6::bigint) THEN t.field_values END AS "fieldValues"
    FROM unnest($2::integer[], $3::bigint[]) place (workflow_id, id)
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = place.workflow_id AND t.id = place.id
    ORDER BY t.id
    FOR NO KEY UPDATE OF t`,
};
