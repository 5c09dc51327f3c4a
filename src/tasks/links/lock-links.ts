import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { TryAgain } from '../../common/errors.js';
import { FieldErrors } from '../../common/field-errors.js';
import { hasValues, type PartlyRead, plainColumns, type TaskRow } from '../store/task-row.js';
import { type LinkedEnd } from '../../workflows/model/allowed.js';
import { addLockedLinks, alteredBy, type Planned, planLinks, requireFree } from './plan-links.js';
import { findLinks, type LinkChange, type TaskPlace, type TaskReference } from './find-links.js';
import { type Scope } from '../../workflows/model/scope.js';

/** A task and the plan for its links. The task and all tasks of the plan are locked in the transaction. */
export interface LockedLinks extends Planned {
  readonly task: TaskRow | undefined;
  /** The other tasks whose links the plan changes, except tasks that the viewer does not see. */
  readonly others: readonly LinkedEnd[];
}

/** Returns the `LockedLinks` of a task whose links do not change. */
export function withoutLinks(task: TaskRow | undefined): LockedLinks {
  return { task, plan: [], errors: new FieldErrors(), missing: [], visited: [], others: [] };
}

/**
 * Runs work in a transaction that locks the task and every task that the changes link, unlink or visit. Locks
 * tasks in the order of their ids, which prevents deadlocks. Reads the links again after locking. If the
 * links then lead to further tasks, starts again and locks these tasks, too.
 */
export async function withLinksLocked<T>(
  db: EntityManager,
  scope: Scope,
  reference: TaskReference,
  changes: readonly LinkChange[],
  work: (tx: EntityManager, locked: LockedLinks) => Promise<T>,
): Promise<T> {
  const look = async (tx: EntityManager): Promise<Looked> => {
    const found = await findLinks(tx, scope, reference, changes);
    const planned = planLinks(found);
    const own = found.task ? [found.task] : [];
    return { ...planned, own: found.task?.id, places: union(own, alteredBy(planned.plan), planned.visited) };
  };
  let known: readonly TaskPlace[] = [];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    try {
      return await db.transaction(async (tx) => {
        const first = known.length > 0 ? undefined : await look(tx);
        if (first?.places.length === 0) return work(tx, judged(first, changes, new Map()));
        const places = first?.places ?? known;
        const rows = await sql<PartlyRead<TaskRow>>(tx, lockTasks, [
          scope.workspaceId,
          places.map(({ workflowId }) => workflowId),
          places.map(({ id }) => id),
          scope.workflow.id,
          reference.uniqueId,
          reference.taskId,
        ]);
        const locked = new Map(rows.map((row) => [row.id, row]));
        const found = await look(tx);
        if (!found.places.every(({ id }) => locked.has(id))) throw new NotLocked(union(places, found.places));
        return work(tx, judged(found, changes, locked));
      });
    } catch (error) {
      if (!(error instanceof NotLocked)) throw error;
      known = error.places;
    }
  }
  throw new TryAgain('others change the same links');
}

interface Looked extends Planned {
  readonly own: string | undefined;
  readonly places: readonly TaskPlace[];
}

/** Adds the errors that depend on the locked rows. */
function judged(
  found: Looked,
  changes: readonly LinkChange[],
  rows: ReadonlyMap<string, PartlyRead<TaskRow>>,
): LockedLinks {
  const own = rows.get(found.own ?? '');
  addLockedLinks(found, changes, own, rows);
  if (changes.some(({ linksOnlyFree }) => linksOnlyFree)) requireFree(found.plan, rows);
  const others = alteredBy(found.plan).flatMap(({ id, workflowId, isSeen }) => {
    const row = isSeen === false ? undefined : rows.get(id);
    return row ? [{ workflowId, assigneeId: row.assigneeId }] : [];
  });
  return { ...found, task: own && hasValues(own) ? own : undefined, others };
}

const MAX_ATTEMPTS = 20;

/** Signals that the transaction must start again with more locks. */
class NotLocked extends Error {
  constructor(readonly places: readonly TaskPlace[]) {
    super('more tasks have to be locked');
  }
}

function union(...lists: readonly (readonly TaskPlace[])[]): TaskPlace[] {
  return [...new Map(lists.flat().map((place) => [place.id, place])).values()];
}

// ORDER BY makes PostgreSQL lock the rows in the order of ids. Only the task itself is read with its values.
const lockTasks = {
  name: 'lock-tasks',
  text: `
    SELECT ${plainColumns},
      CASE WHEN t.workflow_id = $4 AND (t.unique_value = $5 OR t.id = $6::bigint) THEN t.field_values END AS "fieldValues"
    FROM unnest($2::integer[], $3::bigint[]) place (workflow_id, id)
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = place.workflow_id AND t.id = place.id
    ORDER BY t.id
    FOR NO KEY UPDATE OF t`,
};
