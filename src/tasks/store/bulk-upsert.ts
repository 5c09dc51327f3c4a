import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../../common/database/sql.js';
import { type TaskChange } from '../../workflows/fields/task-change.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { insertValues, jsonOfValues, updateValues, type Written } from './upsert-task.js';
import {
  hasLinks,
  isInState,
  linkedColumns,
  nextVersion,
  ofWorkflow,
  type Precondition,
  taskColumns,
  type TaskRow,
  withLinked,
} from './task-row.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface RowChange {
  readonly change: TaskChange;
  /** If no task has the Unique ID of the change: whether the change may create a task. */
  readonly mayCreate: boolean;
  /** The precondition for an existing task. */
  readonly demands: Pick<Precondition, 'states' | 'holds'>;
  /** The origin of the change's event; by default, the origin of the statement. */
  readonly origin?: string | undefined;
}

export type RowStatus = 'created' | 'updated' | 'unchanged';

/**
 * Writes many changes in one statement. `recordOf` serializes each change. No two changes may name the same
 * task, and no change may alter links. The result is undefined for a refused change, or if another
 * transaction has locked or just created the task. The ids of new tasks are in the order of the changes.
 */
export async function upsertRows(
  db: EntityManager,
  scope: Scope,
  records: readonly string[],
): Promise<readonly (RowStatus | undefined)[]> {
  const written = await write(db, scope, records, upsertUnshown);
  return written.map((row) => row?.status);
}

/** Like `upsertRows`, but returns the tasks. */
export async function upsertShownRows(
  db: EntityManager,
  scope: Scope,
  records: readonly string[],
): Promise<readonly (Written | undefined)[]> {
  const statement = hasLinks(scope.workflow) ? upsertLinked : upsertShown;
  const written = await write<WrittenRow & TaskRow>(db, scope, records, statement);
  return written.map(
    (row) =>
      row && {
        task: withLinked(row),
        isCreated: row.status === 'created',
        isChanged: row.status !== 'unchanged',
      },
  );
}

interface WrittenRow {
  readonly place: number;
  readonly status: RowStatus;
}

async function write<Row extends WrittenRow>(
  db: EntityManager,
  scope: Scope,
  records: readonly string[],
  statement: Statement,
): Promise<(Row | undefined)[]> {
  const { id, version } = scope.workflow;
  const json = `[${records.map((record, place) => `{"place":${place},${record}}`).join()}]`;
  const values = [scope.workspaceId, id, version, json, scope.origin?.text];
  const written = await sql<Row>(db, statement, values);
  const known = new Map(written.map((row) => [row.place, row]));
  return records.map((_, place) => known.get(place));
}

/** Serializes a change as the members of a JSON object, without braces, because `write` adds the `place`. */
export function recordOf(workflow: Workflow, { change, mayCreate, demands, origin }: RowChange): string {
  const [publicId, firstStageId, isFirstActive, defaults, due] = insertValues(workflow.schema, change);
  const [name, stageId, isActive, setsAssignee, assigneeId, set, blank, mustBeBlank, fixed, states, barring] =
    updateValues(workflow, change, demands);
  const record = {
    unique_value: name,
    states,
    origin,
    stage_id: stageId,
    is_active: isActive,
    stays_in: change.staysIn,
    barred_in: barring,
    sets_assignee: setsAssignee,
    assignee_id: assigneeId,
    blank,
    must_be_blank: mustBeBlank,
    may_create: mayCreate,
    public_id: publicId,
    first_stage_id: firstStageId,
    is_first_active: isFirstActive,
    due_at: due,
  };
  const values = `"set":${set},"fixed":${fixed},"defaults":${jsonOfValues(defaults)}`;
  return `${JSON.stringify(record).slice(1, -1)},${values}`;
}

/** The columns of a `TaskRow`, with their names in the table. */
const shownOnes = `t.workspace_id, t.id, t.public_id, t.unique_value, t.stage_id, t.assignee_id, t.version_offset, t.version,
  t.updated_at, t.field_values`;

// Each writer locks tasks in the order of ids and inserts tasks in the order of Unique IDs, which prevents
// deadlocks. New tasks get their ids before the insertion, in the order of the rows.
const given = `
  asserted AS MATERIALIZED (SELECT assert_definition($1, $2, $3, $5) AS is_current, records_itself() AS records_itself),
  given AS MATERIALIZED (
    SELECT * FROM json_to_recordset($4::json) r (
      place integer, unique_value text COLLATE "C", states text[], origin text,
      stage_id integer, is_active boolean, stays_in integer, barred_in integer[],
      sets_assignee boolean, assignee_id text COLLATE "C", set jsonb, blank text[],
      must_be_blank text[], fixed jsonb, may_create boolean, public_id text, first_stage_id integer,
      is_first_active boolean, defaults jsonb, due_at timestamptz
    )
    WHERE (SELECT is_current FROM asserted)
  )`;

// Looks up each task separately. Otherwise, PostgreSQL may scan the whole workflow if the statistics are
// outdated. `found` skips tasks that another transaction has locked.
const named = `
  known AS MATERIALIZED (
    SELECT g.place, t.id, g.unique_value, g.states FROM given g CROSS JOIN LATERAL (
      SELECT t.id FROM tasks t
      WHERE ${ofWorkflow} AND t.unique_value = g.unique_value LIMIT 1
    ) t
    ORDER BY t.id
  )`;

const found = `
  found AS MATERIALIZED (
    SELECT k.place, t.* FROM known k CROSS JOIN LATERAL (
      SELECT ${shownOnes} FROM tasks t
      WHERE ${ofWorkflow} AND t.id = k.id AND t.unique_value = k.unique_value
        AND (k.states IS NULL OR ${isInState('k.states')}) LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    ) t
  )`;

const merged = `
  merged AS MATERIALIZED (
    SELECT g.place, f.id, g.is_active, new.*,
      (f.stage_id, f.assignee_id, f.field_values) IS DISTINCT FROM (new.stage_id, new.assignee_id, new.field_values)
        AS is_changed
    FROM found f JOIN given g ON g.place = f.place
    CROSS JOIN LATERAL (
      SELECT COALESCE(g.stage_id, f.stage_id) AS stage_id,
        CASE WHEN g.sets_assignee THEN g.assignee_id ELSE f.assignee_id END AS assignee_id,
        (f.field_values - g.blank) || g.set AS field_values
    ) new
    WHERE (g.stays_in IS NULL OR g.stays_in = f.stage_id)
      AND (g.barred_in IS NULL OR f.stage_id <> ALL (g.barred_in)) AND (
      (g.must_be_blank = '{}' AND g.fixed = '{}')
      OR (f.field_values - g.must_be_blank) || g.fixed = f.field_values
    )
  )`;

const updated = `
  updated AS (
    UPDATE tasks t SET stage_id = m.stage_id, is_active = COALESCE(m.is_active, t.is_active),
      assignee_id = m.assignee_id, field_values = m.field_values,
      ${nextVersion}
    FROM merged m
    WHERE ${ofWorkflow} AND t.id = m.id AND m.is_changed
      AND t.id = ANY (ARRAY(SELECT id FROM merged WHERE is_changed))
    RETURNING m.place, ${shownOnes}
  )`;

const inserted = `
  fresh AS MATERIALIZED (
    SELECT g.*, nextval('tasks_id_seq') AS id FROM (
      SELECT g.* FROM given g
      WHERE g.may_create AND g.place NOT IN (SELECT k.place FROM known k)
      ORDER BY g.place
    ) g
  ), inserted AS (
    INSERT INTO tasks AS t (workspace_id, workflow_id, id, unique_value, assignee_id, public_id, stage_id, is_active,
      field_values, due_at)
    OVERRIDING SYSTEM VALUE
    SELECT $1, $2, id, unique_value, assignee_id, public_id, first_stage_id, is_first_active, defaults || set, due_at
    FROM fresh ORDER BY unique_value, id
    ON CONFLICT (workspace_id, workflow_id, unique_value) DO NOTHING
    RETURNING ${shownOnes}
  )`;

const items = `
  items AS (
    INSERT INTO checklist_items (workspace_id, workflow_id, task_id, title, stage_id, is_editable)
    SELECT $1, $2, t.id, i.title, i.stage_id, false
    FROM inserted t
    JOIN checklist_template_items i ON i.workspace_id = $1 AND i.workflow_id = $2
    ORDER BY t.id, i.position
  )`;

const written = `
  changed AS MATERIALIZED (
    SELECT 'created' AS status, f.place, t.* FROM inserted t JOIN fresh f ON f.id = t.id
    UNION ALL
    SELECT 'updated', u.* FROM updated u
  )`;

// Records the events of all rows, as `record_task` does for one row. Each row may have its own origin.
const recorded = `
  recorded AS (
    INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version,
      stage_from, stage_to, assignee_from, assignee_to, values_from, values_to)
    SELECT $1, 'task.' || t.status, COALESCE(g.origin, $5), $2, t.id, t.public_id,
      t.unique_value, t.version_offset + t.version,
      CASE WHEN f.stage_id IS DISTINCT FROM t.stage_id THEN f.stage_id END,
      CASE WHEN f.stage_id IS DISTINCT FROM t.stage_id THEN t.stage_id END,
      CASE WHEN f.assignee_id IS DISTINCT FROM t.assignee_id THEN f.assignee_id END,
      CASE WHEN f.assignee_id IS DISTINCT FROM t.assignee_id THEN t.assignee_id END,
      f.field_values - same.keys, t.field_values - same.keys
    FROM changed t JOIN given g ON g.place = t.place LEFT JOIN found f ON f.place = t.place
    CROSS JOIN LATERAL (SELECT same_keys(f.field_values, t.field_values) AS keys OFFSET 0) same
    WHERE (SELECT records_itself FROM asserted)
    ORDER BY t.place
  )`;

const outcomes = (columns: readonly string[]): string => `
  SELECT ${['place', 'status', ...columns].join(', ')} FROM (
    SELECT * FROM changed
    UNION ALL
    SELECT 'unchanged', t.place, ${shownOnes} FROM merged m JOIN found t ON t.place = m.place WHERE NOT m.is_changed
  ) t`;

/** Builds a statement that writes many tasks and returns the `place` and the status of each accepted row. */
function upserting(name: string, ...columns: readonly string[]): Statement {
  const parts = [given, named, found, merged, updated, inserted, items, written, recorded];
  return { name, text: `WITH ${parts.join(',')} ${outcomes(columns)}` };
}

const upsertUnshown = upserting('upsert-rows');
const upsertShown = upserting('upsert-shown-rows', taskColumns);
const upsertLinked = upserting('upsert-linked-rows', linkedColumns);
