import { type EntityManager } from 'typeorm';
import { type RunTask } from '../../executions/runs/run.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { type Clock, type ClockRow, isOpenClock } from './clock.js';
import { endOf } from './clock-time.js';
import { nextDue } from './rungs.js';
import { instantText } from '../../workflows/time/zone.js';
import { reasonOf } from '../../common/errors.js';
import { sql } from '../../common/database/sql.js';
import { type ClockEntity } from './clock.entity.js';

export interface StoredClock extends Readonly<Pick<ClockEntity, 'clockId' | 'eventPlace'>> {
  readonly row: KeptRow;
}

/** A row, and the version of the definition under which it was last written. */
interface KeptRow extends ClockRow {
  readonly definition: number;
}

/** The columns that the events, runs and clocks of a task need. */
export interface ClockedTask extends TaskKey, RunTask {
  readonly taskId: string;
  readonly workflowId: number;
  readonly version: number | null;
}

/** SQL: the columns of a `ClockedTask`, from the table `tasks t`. */
export const clockedColumns = `
  t.workspace_id AS "workspaceId", t.workflow_id AS "workflowId", t.id AS "taskId", t.public_id AS "publicId",
  t.unique_value AS "uniqueValue", (t.version_offset + t.version)::float8 AS version`;

/** Locks tasks in the order of their ids, as all writers of clocks do, so that writers cannot deadlock. */
export async function lockTasks(tx: EntityManager, tasks: readonly TaskKey[]): Promise<void> {
  const [first] = tasks;
  if (!first) return;
  await sql(tx, lockAll, [first.workspaceId, ...columnsOf(tasks)]);
}

const lockAll = {
  name: 'lock-tasks-of-clocks',
  text: `
    SELECT FROM tasks t JOIN (SELECT DISTINCT * FROM unnest($2::integer[], $3::bigint[])) k (workflow_id, id)
      ON t.workspace_id = $1 AND t.workflow_id = k.workflow_id AND t.id = k.id
    ORDER BY t.id FOR NO KEY UPDATE OF t`,
};

/** The clocks of tasks, by the id of the task and then by the id of the clock. */
export type ClocksOfTasks = ReadonlyMap<string, Map<string, StoredClock>>;

/** Reads the clocks of tasks. A caller that will write the clocks must lock the tasks first. */
export async function readClocks(db: EntityManager, tasks: readonly TaskKey[]): Promise<ClocksOfTasks> {
  const clocks = new Map(tasks.map(({ taskId }) => [taskId, new Map<string, StoredClock>()]));
  const [first] = tasks;
  if (!first) return clocks;
  const values = [first.workspaceId, [...clocks.keys()]];
  for (const { taskId, ...clock } of await sql<StoredClock & { readonly taskId: string }>(db, read, values))
    clocks.get(taskId)?.set(clock.clockId, clock);
  return clocks;
}

const read = {
  name: 'read-clocks',
  text: `
    SELECT task_id AS "taskId", clock_id AS "clockId", event_place AS "eventPlace", row FROM clocks
    WHERE workspace_id = $1 AND task_id = ANY ($2::bigint[])`,
};

/** A state of a clock to store. The due times are computed with the compiled `clock`. */
export interface ClockToStore extends StoredClock {
  readonly task: TaskKey;
  readonly clock: Clock;
}

/** Inserts or updates clocks. Skips clocks of deleted tasks. */
export async function writeClocks(tx: EntityManager, clocks: readonly ClockToStore[]): Promise<void> {
  const [first] = clocks;
  if (!first) return;
  const rows = clocks.map(({ task, clock, clockId, eventPlace, row }) => ({
    workflow_id: task.workflowId,
    task_id: task.taskId,
    clock_id: clockId,
    state: row.state,
    row,
    event_place: eventPlace,
    due_at: isOpenClock(row) ? textOf(endOf(clock, row)) : null,
    next_at: isOpenClock(row) ? textOf(nextDue(clock, row)?.dueAt) : null,
  }));
  await sql(tx, write, [first.task.workspaceId, JSON.stringify(rows)]);
}

const textOf = (instant: number | null | undefined): string | null =>
  instant == null ? null : instantText(instant);

const write = {
  name: 'write-clocks',
  text: `
    INSERT INTO clocks (workspace_id, workflow_id, task_id, clock_id, state, row, event_place, due_at, next_at)
    SELECT $1, c.* FROM json_to_recordset($2::json) AS c (
      workflow_id integer, task_id bigint, clock_id text, state text, row json, event_place bigint,
      due_at timestamptz, next_at timestamptz
    ) JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = c.workflow_id AND t.id = c.task_id
    ON CONFLICT (workspace_id, task_id, clock_id) DO UPDATE SET state = excluded.state, row = excluded.row,
      event_place = excluded.event_place, due_at = excluded.due_at, next_at = excluded.next_at`,
};

/** Stores on each task the earliest deadline of the task's clocks, without counting this as a change. */
export async function noteDue(tx: EntityManager, tasks: readonly TaskKey[]): Promise<void> {
  const [first] = tasks;
  if (first) await sql(tx, note, [first.workspaceId, ...columnsOf(tasks)]);
}

const columnsOf = (tasks: readonly TaskKey[]): readonly unknown[] => [
  tasks.map(({ workflowId }) => workflowId),
  tasks.map(({ taskId }) => taskId),
];

// OFFSET 0 makes PostgreSQL find the deadline of each task only once.
const note = {
  name: 'note-due',
  text: `
    UPDATE tasks t SET due_at = d.due_at FROM (
      SELECT workflow_id, id, (
        SELECT min(c.due_at) FROM clocks c
        WHERE c.workspace_id = $1 AND c.task_id = id
      ) AS due_at FROM (SELECT DISTINCT * FROM unnest($2::integer[], $3::bigint[])) k (workflow_id, id) OFFSET 0
    ) d
    WHERE t.workspace_id = $1 AND t.workflow_id = d.workflow_id AND t.id = d.id AND t.due_at IS DISTINCT FROM d.due_at`,
};

export interface ClockKey extends TaskKey {
  readonly clockId: string;
}

/** Finds due clocks. Those that have been due for the longest time come first. */
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

/** Delays the next try of a clock that cannot fire, so that other clocks fire first. Keeps the deadline. */
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
  const cause = reasonOf(error);
  await sql(db, noteFailed, [workspaceId, taskId, cause.slice(0, 1000)]);
}

const noteFailed = {
  name: 'note-failed-clocks',
  text: `
    INSERT INTO events_set_aside (workspace_id, follower, event_place, cause)
    SELECT $1, 'clocks', COALESCE(max(place), 0), $3 FROM events WHERE workspace_id = $1 AND task_id = $2
    ON CONFLICT DO NOTHING`,
};

/** Deletes the clocks of these tasks, except the clocks whose ids are in `kept`. */
export async function removeOtherClocks(
  tx: EntityManager,
  { workspaceId, workflowId }: Omit<TaskKey, 'taskId'>,
  tasks: readonly TaskKey[],
  kept: readonly string[],
): Promise<void> {
  const ids = tasks.map(({ taskId }) => taskId);
  await sql(tx, remove, [workspaceId, workflowId, ids, kept]);
}

const remove = {
  name: 'remove-clocks',
  text: `
    DELETE FROM clocks
    WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = ANY ($3::bigint[]) AND clock_id <> ALL ($4::text[])`,
};
