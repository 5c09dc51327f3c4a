import { type EntityManager } from 'typeorm';
import { type RunTask } from '../../executions/runs/run.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { type Clock, type ClockRow, isOpenClock } from './clock.js';
import { endOf } from './clock-time.js';
import { nextDue } from './rungs.js';
import { instantText } from '../../workflows/time/zone.js';
import { sql } from '../../common/database/sql.js';
import { type ClockEntity } from './clock.entity.js';

export interface StoredClock extends Readonly<Pick<ClockEntity, 'clockId' | 'eventPlace'>> {
  readonly row: KeptRow;
}

/** A row, with the version of the definition by which it was last updated. */
interface KeptRow extends ClockRow {
  readonly definition: number;
}

/** A task as its events, runs and clocks refer to it. */
export interface ClockedTask extends TaskKey, RunTask {
  readonly taskId: string;
  readonly workflowId: number;
  readonly version: number | null;
}

/** SQL: the columns of a `ClockedTask` called `t`. */
export const clockedColumns = `
  t.workspace_id AS "workspaceId", t.workflow_id AS "workflowId", t.id AS "taskId", t.public_id AS "publicId",
  t.unique_value AS "uniqueValue", (t.version_offset + t.version)::float8 AS version`;

/** Locks tasks in the order of their ids, as all writers of clocks do, to avoid deadlocks. */
export async function lockTasks(tx: EntityManager, tasks: readonly TaskKey[]): Promise<void> {
  const [first] = tasks;
  if (!first) return;
  const keys = [tasks.map(({ workflowId }) => workflowId), tasks.map(({ taskId }) => taskId)];
  await sql(tx, lockAll, [first.workspaceId, ...keys]);
}

const lockAll = {
  name: 'lock-tasks-of-clocks',
  text: `
    SELECT FROM tasks t JOIN (SELECT DISTINCT * FROM unnest($2::integer[], $3::bigint[])) k (workflow_id, id)
      ON t.workspace_id = $1 AND t.workflow_id = k.workflow_id AND t.id = k.id
    ORDER BY t.id FOR NO KEY UPDATE OF t`,
};

export async function lockClocks(
  tx: EntityManager,
  { workspaceId, taskId }: TaskKey,
): Promise<StoredClock[]> {
  return sql<StoredClock>(tx, lock, [workspaceId, taskId]);
}

export async function readClocks(
  db: EntityManager,
  { workspaceId, taskId }: TaskKey,
): Promise<StoredClock[]> {
  return sql<StoredClock>(db, read, [workspaceId, taskId]);
}

const ofTask = `
  SELECT clock_id AS "clockId", event_place AS "eventPlace", row FROM clocks
  WHERE workspace_id = $1 AND task_id = $2 ORDER BY clock_id`;

const read = { name: 'read-clocks', text: ofTask };
const lock = { name: 'lock-clocks', text: `${ofTask} FOR UPDATE` };

/** With the compiled clock, from which the due times follow. */
export interface ClockToStore extends StoredClock {
  readonly clock: Clock;
}

/** Skips a task that is gone. */
export async function writeClocks(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  clocks: readonly ClockToStore[],
): Promise<void> {
  if (clocks.length === 0) return;
  const rows = clocks.map(({ clock, clockId, eventPlace, row }) => ({
    clock_id: clockId,
    state: row.state,
    row,
    event_place: eventPlace,
    due_at: isOpenClock(row) ? textOf(endOf(clock, row)) : null,
    next_at: isOpenClock(row) ? textOf(nextDue(clock, row)?.dueAt) : null,
  }));
  await sql(tx, write, [workspaceId, workflowId, taskId, JSON.stringify(rows)]);
}

const textOf = (instant: number | null | undefined): string | null =>
  instant == null ? null : instantText(instant);

const write = {
  name: 'write-clocks',
  text: `
    INSERT INTO clocks (workspace_id, workflow_id, task_id, clock_id, state, row, event_place, due_at, next_at)
    SELECT $1, $2, $3, c.* FROM json_to_recordset($4::json) AS c (
      clock_id text, state text, row json, event_place bigint, due_at timestamptz, next_at timestamptz
    ) JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $3
    ON CONFLICT (workspace_id, task_id, clock_id) DO UPDATE SET state = excluded.state, row = excluded.row,
      event_place = excluded.event_place, due_at = excluded.due_at, next_at = excluded.next_at`,
};

/** Stores on each task when the first of its clocks is due. This does not count as a change of the task. */
export async function noteDue(
  tx: EntityManager,
  { workspaceId, workflowId }: Omit<TaskKey, 'taskId'>,
  taskIds: readonly string[],
): Promise<void> {
  if (taskIds.length > 0) await sql(tx, note, [workspaceId, workflowId, taskIds]);
}

const note = {
  name: 'note-due',
  text: `
    UPDATE tasks t SET due_at = d.due_at FROM (
      SELECT id, (
        SELECT min(c.due_at) FROM clocks c
        WHERE c.workspace_id = $1 AND c.task_id = id
      ) AS due_at FROM unnest($3::bigint[]) id
    ) d
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = d.id AND t.due_at IS DISTINCT FROM d.due_at`,
};

export interface ClockKey extends TaskKey {
  readonly clockId: string;
}

/** Longest due first. */
export async function dueClocks(db: EntityManager, limit: number): Promise<ClockKey[]> {
  return sql<ClockKey>(db, due, [limit]);
}

const due = {
  name: 'due-clocks',
  scope: 'all workspaces' as const,
  text: `
    SELECT workspace_id AS "workspaceId", workflow_id AS "workflowId", task_id AS "taskId", clock_id AS "clockId"
    FROM clocks WHERE next_at <= service_now(statement_timestamp()) ORDER BY next_at LIMIT $1`,
};

/** Postpones the next attempt on a clock that cannot fire, so that others come first. Its due time stays. */
export async function putOffClock(
  db: EntityManager,
  { workspaceId, taskId, clockId }: ClockKey,
  seconds: number,
): Promise<void> {
  await sql(db, putOff, [workspaceId, taskId, clockId, seconds]);
}

const putOff = {
  name: 'put-off-clock',
  text: `
    UPDATE clocks SET next_at = service_now() + make_interval(secs => $4)
    WHERE workspace_id = $1 AND task_id = $2 AND clock_id = (
      SELECT clock_id FROM clocks
      WHERE workspace_id = $1 AND task_id = $2 AND clock_id = $3 AND next_at <= service_now() FOR UPDATE SKIP LOCKED
    )`,
};

export async function noteFailedClocks(
  db: EntityManager,
  { workspaceId, taskId }: TaskKey,
  error: unknown,
): Promise<void> {
  const cause = error instanceof Error ? error.message : String(error);
  await sql(db, noteFailed, [workspaceId, taskId, cause.slice(0, 1000)]);
}

const noteFailed = {
  name: 'note-failed-clocks',
  text: `
    INSERT INTO events_set_aside (workspace_id, follower, event_place, cause)
    SELECT $1, 'clocks', COALESCE(max(place), 0), $3 FROM events WHERE workspace_id = $1 AND task_id = $2
    ON CONFLICT DO NOTHING`,
};

/** Removes the other clocks of these tasks; returns the ids of the tasks that had some. */
export async function removeOtherClocks(
  tx: EntityManager,
  { workspaceId, workflowId }: Omit<TaskKey, 'taskId'>,
  taskIds: readonly string[],
  kept: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }>(tx, remove, [workspaceId, workflowId, taskIds, kept]);
  return rows.map(({ id }) => id);
}

const remove = {
  name: 'remove-clocks',
  text: `
    DELETE FROM clocks
    WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = ANY ($3::bigint[]) AND clock_id <> ALL ($4::text[])
    RETURNING task_id AS id`,
};
