import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../../common/database/sql.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { assertVersion } from '../../workflows/model/workspaces.js';
import { plainColumns, type TaskRow } from './task-row.js';

// Reads the open tasks of people in several workflows of a workspace by one statement.

/** When a task is due, relative to today. `later` includes tasks without a deadline. */
export const periods = ['overdue', 'today', 'week', 'later'] as const;
export type Period = (typeof periods)[number];

export interface AssignedTask extends TaskRow {
  readonly workflowId: number;
  readonly period: Period;
  /** The day of the deadline as YYYY-MM-DD; null without a deadline. */
  readonly day: string | null;
  /** The earliest deadline; in the past if the task is overdue. */
  readonly dueAt: Date | null;
  /** False if the values exceed 16 kB in total; `fieldValues` is then empty. */
  readonly isWhole: boolean;
  /**
   * The numbers of the user's open tasks in the period, by workflow id. The statement counts at most 10,000
   * tasks of each workflow, in all periods together. Only the first task of a period has these numbers; for
   * all other tasks, `counts` is null.
   */
  readonly counts: Readonly<Record<string, number>> | null;
}

/** Reads the first 25 open tasks of a user per period, by due time. Days begin at midnight in `timeZone`. */
export async function assignedTasks(
  db: EntityManager,
  workspace: Workspace,
  workflowIds: readonly number[],
  timeZone: string,
  userId: string,
): Promise<AssignedTask[]> {
  return ask(db, assigned, workspace, [workflowIds, timeZone, userId]);
}

/** How many open tasks a user has in a stage, and how many of them are overdue. */
export interface Load {
  readonly workflowId: number;
  readonly stageId: number;
  /** Null for unassigned tasks. */
  readonly assigneeId: string | null;
  readonly tasks: number;
  readonly overdue: number;
  /** The earliest overdue deadline; null if no task is overdue. */
  readonly oldestDue: Date | null;
  /** When the first of these tasks entered the stage. If this is unknown, a task counts from its creation. */
  readonly since: Date;
}

/** Counts the open tasks of each user in each stage, from at most 100,000 tasks per workflow. */
export async function loadOfPeople(
  db: EntityManager,
  workspace: Workspace,
  workflowIds: readonly number[],
  timeZone: string,
): Promise<Load[]> {
  return ask(db, loads, workspace, [workflowIds, timeZone]);
}

/**
 * Runs a statement whose rows contain the version of the definition. A statement that finds nothing returns
 * one row with only that version.
 */
async function ask<Row extends object>(
  db: EntityManager,
  statement: Statement,
  { id, version }: Workspace,
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await sql<Row & { definition: number; isFound: boolean }>(db, statement, [id, ...values]);
  assertVersion(rows[0]?.definition ?? 0, version);
  return rows.filter(({ isFound }) => isFound);
}

/** SQL: up to `most` open tasks of each workflow in $2. `day` is the due day in the time zone $3. */
const openTasks = (condition: string, most: number): string => `
  SELECT t.*, t.due_at <= service_now(statement_timestamp()) AS is_late
  FROM unnest($2::integer[]) w (id) CROSS JOIN LATERAL (
    SELECT t.id, t.workflow_id, t.stage_id, t.assignee_id, t.due_at, COALESCE(t.stage_at, t.created_at) AS since,
      -- A deadline at midnight is due on the day that ends, not on the day that begins.
      to_char((t.due_at - interval '1 microsecond') AT TIME ZONE $3::text, 'YYYY-MM-DD') AS day
    FROM tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = w.id AND t.is_active${condition} LIMIT ${most}
  ) t`;

const MAX_BYTES = 16_384;
const today = 'service_now(statement_timestamp()) AT TIME ZONE $3::text';
const isToday = `day = to_char(${today}, 'YYYY-MM-DD')`;
const isThisWeek = `day <= to_char(date_trunc('week', ${today}) + interval '6 days', 'YYYY-MM-DD')`;

const assigned = {
  name: 'assigned-tasks',
  text: `
    WITH placed AS MATERIALIZED (
      SELECT m.*, row_number() OVER (
        PARTITION BY m.period ORDER BY m.day NULLS LAST, m.due_at, m.workflow_id, m.id
      ) AS place
      FROM (
        SELECT o.*, CASE WHEN is_late THEN 'overdue' WHEN ${isToday} THEN 'today' WHEN ${isThisWeek} THEN 'week' ELSE 'later' END AS period
        FROM (${openTasks(' AND t.assignee_id = $4', 10_000)}) o
      ) m
    )
    SELECT w.version AS definition, p.id IS NOT NULL AS "isFound", ${plainColumns},
      p.workflow_id AS "workflowId", p.period, p.day, p.due_at AS "dueAt",
      pg_column_size(t.field_values) <= ${MAX_BYTES} AS "isWhole",
      CASE WHEN pg_column_size(t.field_values) <= ${MAX_BYTES} THEN t.field_values ELSE '{}' END AS "fieldValues",
      CASE WHEN p.place = 1 THEN (
        SELECT json_object_agg(c.workflow_id, c.tasks) FROM (
          SELECT o.workflow_id, count(*) AS tasks FROM placed o WHERE o.period = p.period GROUP BY o.workflow_id
        ) c
      ) END AS counts
    FROM workspaces w LEFT JOIN (
      placed p JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = p.workflow_id AND t.id = p.id
    ) ON p.place <= 25
    WHERE w.id = $1 ORDER BY p.place`,
};

const loads = {
  name: 'load-of-people',
  text: `
    SELECT w.version AS definition, c.tasks IS NOT NULL AS "isFound", c.* FROM workspaces w LEFT JOIN (
      SELECT o.workflow_id AS "workflowId", o.stage_id AS "stageId", o.assignee_id AS "assigneeId",
        count(*)::integer AS tasks, (count(*) FILTER (WHERE o.is_late))::integer AS overdue,
        min(o.due_at) FILTER (WHERE o.is_late) AS "oldestDue", min(o.since) AS since
      FROM (${openTasks('', 100_000)}) o GROUP BY 1, 2, 3
    ) c ON true
    WHERE w.id = $1`,
};
