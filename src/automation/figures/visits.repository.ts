import { type EntityManager } from 'typeorm';
import { oldestPosition } from '../../events/events.repository.js';
import { sql } from '../../common/database/sql.js';

/** A visit of a task to a stage, as it is written; times in milliseconds. */
export interface Visit {
  readonly taskId: string;
  readonly n: number;
  readonly workflowId: number;
  readonly stageId: number;
  readonly stageTo: number | null;
  readonly enteredAt: number;
  readonly leftAt: number | null;
  readonly beganAt: number;
  readonly workingMs: number | null;
  readonly workedBeforeMs: number | null;
  readonly isImported: boolean;
  readonly place: string;
  readonly actor: string | null;
  readonly execution: string | null;
}

/** How many tasks moved from one stage to another on a day. As `from`, 0 means created; as `to`, deleted. */
export interface Passage {
  readonly workflowId: number;
  readonly day: string;
  readonly stageFrom: number;
  readonly stageTo: number;
  readonly isImported: boolean;
  readonly n: number;
}

const epochOf = (column: string): string => `(date_part('epoch', v.${column}) * 1000)::float8`;

/** The last visit of each of these tasks. The turn locks the follower's row, so that a rebuild waits for it. */
export async function lastVisits(
  tx: EntityManager,
  workspaceId: number,
  taskIds: readonly string[],
): Promise<Visit[]> {
  await sql(tx, holdFollower, [workspaceId]);
  return sql<Visit>(tx, readLast, [workspaceId, taskIds]);
}

const holdFollower = {
  name: 'hold-figures',
  text: `SELECT FROM followers WHERE workspace_id = $1 AND name = 'figures' FOR NO KEY UPDATE`,
};

const readLast = {
  name: 'last-visits',
  text: `
    SELECT v.task_id AS "taskId", v.n, v.workflow_id AS "workflowId", v.stage_id AS "stageId", v.stage_to AS "stageTo",
      ${epochOf('entered_at')} AS "enteredAt", ${epochOf('left_at')} AS "leftAt", ${epochOf('began_at')} AS "beganAt",
      v.working_ms::float8 AS "workingMs", v.worked_before_ms::float8 AS "workedBeforeMs",
      v.is_imported AS "isImported", v.place, v.actor, v.execution
    FROM unnest($2::bigint[]) t (id) CROSS JOIN LATERAL (
      SELECT * FROM stage_visits v WHERE v.workspace_id = $1 AND v.task_id = t.id ORDER BY v.n DESC LIMIT 1
    ) v`,
};

/** Stores new visits, and the ends of stored ones. */
export async function writeVisits(
  tx: EntityManager,
  workspaceId: number,
  visits: readonly Visit[],
): Promise<void> {
  if (visits.length > 0) await sql(tx, write, [workspaceId, JSON.stringify(visits)]);
}

const write = {
  name: 'write-visits',
  text: `
    INSERT INTO stage_visits (workspace_id, task_id, n, workflow_id, stage_id, stage_to, entered_at, left_at, began_at,
      working_ms, worked_before_ms, is_imported, place, actor, execution)
    SELECT $1, "taskId", n, "workflowId", "stageId", "stageTo", to_timestamp("enteredAt" / 1000.0),
      to_timestamp("leftAt" / 1000.0), to_timestamp("beganAt" / 1000.0), "workingMs", "workedBeforeMs", "isImported",
      place, actor, execution
    FROM json_to_recordset($2) v ("taskId" bigint, n integer, "workflowId" integer, "stageId" integer,
      "stageTo" integer, "enteredAt" float8, "leftAt" float8, "beganAt" float8, "workingMs" bigint,
      "workedBeforeMs" bigint, "isImported" boolean, place bigint, actor text, execution text)
    ON CONFLICT (workspace_id, task_id, n) DO UPDATE
      SET left_at = excluded.left_at, stage_to = excluded.stage_to, working_ms = excluded.working_ms`,
};

/** Adds to the daily numbers of the flow. */
export async function addPassages(
  tx: EntityManager,
  workspaceId: number,
  passages: readonly Passage[],
): Promise<void> {
  if (passages.length > 0) await sql(tx, add, [workspaceId, JSON.stringify(passages)]);
}

const add = {
  name: 'add-passages',
  text: `
    INSERT INTO flow_days AS f (workspace_id, workflow_id, day, stage_from, stage_to, is_imported, n)
    SELECT $1, "workflowId", day, "stageFrom", "stageTo", "isImported", n
    FROM json_to_recordset($2) p ("workflowId" integer, day date, "stageFrom" integer, "stageTo" integer,
      "isImported" boolean, n integer)
    ON CONFLICT (workspace_id, workflow_id, day, stage_from, stage_to, is_imported) DO UPDATE SET n = f.n + excluded.n`,
};

/**
 * Deletes the figures of the events that are still stored, so that the follower computes them anew from the oldest of
 * these events. Visits that began before it stay; if the last one ended since, it is open again.
 */
export async function rebuildFigures(tx: EntityManager, workspaceId: number): Promise<void> {
  const { position } = await oldestPosition(tx, workspaceId);
  await sql(tx, returnTo, [workspaceId, position]);
  for (const statement of [forgetKept, reopen, forgetDays, countDays])
    await sql(tx, statement, [workspaceId]);
}

const returnTo = {
  name: 'rebuild-figures',
  text: `UPDATE followers SET position = $2, failures = 0 WHERE workspace_id = $1 AND name = 'figures'`,
};

const forgetKept = {
  name: 'forget-visits',
  text: `
    DELETE FROM stage_visits v WHERE v.workspace_id = $1
      AND EXISTS (SELECT FROM events e WHERE e.workspace_id = $1 AND e.place = v.place)`,
};

const reopen = {
  name: 'reopen-visits',
  text: `
    UPDATE stage_visits v SET left_at = NULL, stage_to = NULL, working_ms = NULL
    WHERE v.workspace_id = $1 AND v.left_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM stage_visits x WHERE x.workspace_id = $1 AND x.task_id = v.task_id AND x.n > v.n)
      AND EXISTS (
        SELECT FROM events e WHERE e.workspace_id = $1 AND e.task_id = v.task_id AND e.place > v.place
          AND e.type IN ('task.updated', 'task.deleted') AND e.stage_from IS NOT NULL
      )`,
};

const forgetDays = { name: 'forget-flow-days', text: 'DELETE FROM flow_days WHERE workspace_id = $1' };

const countDays = {
  name: 'count-flow-days',
  text: `
    INSERT INTO flow_days (workspace_id, workflow_id, day, stage_from, stage_to, is_imported, n)
    SELECT $1, v.workflow_id, (p.at AT TIME ZONE w.timezone)::date, p.stage_from, p.stage_to, v.is_imported, count(*)
    FROM workspaces w JOIN stage_visits v ON v.workspace_id = w.id CROSS JOIN LATERAL (
      SELECT v.entered_at AS at, 0 AS stage_from, v.stage_id AS stage_to WHERE v.n = 1
      UNION ALL
      SELECT v.left_at, v.stage_id, COALESCE(v.stage_to, 0) WHERE v.left_at IS NOT NULL
    ) p
    WHERE w.id = $1 GROUP BY 2, 3, 4, 5, 6`,
};
