import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Stored } from '../schema/field-type.js';
import { type TaskChange } from '../schema/task-change.js';
import { type Workflow } from '../workspace/workspace.js';
import { insertValues, jsonOfValues, updateValues } from './upsert-task.js';
import { nextVersion, noPrecondition, ofWorkflow } from './task-row.js';
import { type Scope } from '../workspace/scope.js';

/** A change among many. */
export interface RowChange {
  readonly change: TaskChange;
  /** Whether it may create a task where there is none of its Unique ID. */
  readonly mayCreate: boolean;
  /** Values by field id that the task must hold already. */
  readonly holds: ReadonlyMap<string, Stored>;
}

/** What became of a row that was written. */
export type RowStatus = 'created' | 'updated' | 'unchanged';

/**
 * Creates or changes the tasks of many changes, which name no task twice and touch no links, in one statement; nothing
 * comes back for a change that it could not carry out: as it stands, or because others write the same task. New tasks
 * are created in the order of the changes.
 */
export async function upsertRows(
  db: EntityManager,
  scope: Scope,
  rows: readonly RowChange[],
): Promise<readonly (RowStatus | undefined)[]> {
  const {
    workflow: { id, version, hasChecklist },
    workspaceId,
    origin,
  } = scope;
  const json = `[${rows.map((row, place) => recordOf(scope.workflow, row, place)).join()}]`;
  const statement = hasChecklist ? upsertListedRows : upsertPlainRows;
  const written = await sql<WrittenRow>(db, statement, [workspaceId, id, version, json, origin?.text]);
  const statuses = new Map(written.map(({ place, status }) => [place, status]));
  return rows.map((_, place) => statuses.get(place));
}

interface WrittenRow {
  readonly place: number;
  readonly status: RowStatus;
}

/** A change as the record that the statement reads, written out for speed. */
function recordOf(workflow: Workflow, { change, mayCreate, holds }: RowChange, place: number): string {
  const demands = { ...noPrecondition, holds };
  const [uniqueValue, stageId, isActive, setsAssignee, assigneeId, set, blank, mustBeBlank, fixed] =
    updateValues(workflow, change, demands);
  const [publicId, firstStageId, isFirstActive, defaults] = insertValues(workflow.schema, change);
  const assignee = assigneeId == null ? '' : `,"assignee_id":${JSON.stringify(assigneeId)}`;
  const stage = stageId === undefined ? '' : `,"stage_id":${stageId},"is_active":${isActive ?? false}`;
  const stays = change.staysIn === undefined ? '' : `,"stays_in":${change.staysIn}`;
  const name = uniqueValue == null ? '' : `,"unique_value":${JSON.stringify(uniqueValue)}`;
  return (
    `{"place":${place}${name}${stage}${stays},"sets_assignee":${setsAssignee}${assignee},"set":${set}` +
    `,"blank":${JSON.stringify(blank)},"must_be_blank":${JSON.stringify(mustBeBlank)},"fixed":${fixed}` +
    `,"may_create":${mayCreate},"public_id":"${publicId}","first_stage_id":${firstStageId}` +
    `,"is_first_active":${isFirstActive},"defaults":${jsonOfValues(defaults)}}`
  );
}

// Whoever writes several tasks locks those that there are in the order of their ids, and adds others in that of their
// Unique IDs: so nobody waits in a circle. The ids of new tasks are given out before, in the order of the rows.
const given = `
  asserted AS MATERIALIZED (SELECT assert_definition($1, $2, $3, $5) AS is_current),
  given AS MATERIALIZED (
    SELECT * FROM json_to_recordset($4::json) r (
      place integer, unique_value text COLLATE "C", stage_id integer, is_active boolean, stays_in integer,
      sets_assignee boolean, assignee_id text COLLATE "C", set jsonb, blank text[],
      must_be_blank text[], fixed jsonb,
      may_create boolean, public_id text, first_stage_id integer, is_first_active boolean, defaults jsonb
    )
    WHERE (SELECT is_current FROM asserted)
  )`;

// Found one by one: no statistics could lead the planner to read the whole workflow instead.
const found = `
  known AS MATERIALIZED (
    SELECT g.place, t.id FROM given g CROSS JOIN LATERAL (
      SELECT t.id FROM tasks t
      WHERE ${ofWorkflow} AND t.unique_value = g.unique_value LIMIT 1
    ) t
    ORDER BY t.id
  ), found AS MATERIALIZED (
    SELECT k.place, t.* FROM known k CROSS JOIN LATERAL (
      SELECT t.id, t.stage_id, t.assignee_id, t.field_values FROM tasks t
      WHERE ${ofWorkflow} AND t.id = k.id LIMIT 1
      FOR NO KEY UPDATE
    ) t
  ), merged AS MATERIALIZED (
    SELECT g.place, f.id, g.is_active, new.*,
      (f.stage_id, f.assignee_id, f.field_values) IS DISTINCT FROM (new.stage_id, new.assignee_id, new.field_values)
        AS is_changed
    FROM found f JOIN given g ON g.place = f.place
    CROSS JOIN LATERAL (
      SELECT COALESCE(g.stage_id, f.stage_id) AS stage_id,
        CASE WHEN g.sets_assignee THEN g.assignee_id ELSE f.assignee_id END AS assignee_id,
        (f.field_values - g.blank) || g.set AS field_values
    ) new
    WHERE (g.stays_in IS NULL OR g.stays_in = f.stage_id) AND (
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
  )`;

const inserted = `
  fresh AS MATERIALIZED (
    SELECT g.*, nextval('tasks_id_seq') AS id FROM (
      SELECT g.* FROM given g
      WHERE g.may_create AND g.place NOT IN (SELECT k.place FROM known k)
      ORDER BY g.place
    ) g
  ), inserted AS (
    INSERT INTO tasks (workspace_id, workflow_id, id, unique_value, assignee_id, public_id, stage_id, is_active,
      field_values)
    OVERRIDING SYSTEM VALUE
    SELECT $1, $2, id, unique_value, assignee_id, public_id, first_stage_id, is_first_active, defaults || set
    FROM fresh ORDER BY unique_value, id
    ON CONFLICT (workspace_id, workflow_id, unique_value) DO NOTHING
    RETURNING id
  )`;

const items = `
  items AS (
    INSERT INTO checklist_items (workspace_id, workflow_id, task_id, title, stage_id, is_editable)
    SELECT $1, $2, t.id, i.title, i.stage_id, false
    FROM inserted t
    JOIN checklist_template_items i ON i.workspace_id = $1 AND i.workflow_id = $2
    ORDER BY t.id, i.position
  )`;

const outcomes = `
  SELECT f.place, 'created' AS status FROM inserted i JOIN fresh f ON f.id = i.id
  UNION ALL
  SELECT place, CASE WHEN is_changed THEN 'updated' ELSE 'unchanged' END FROM merged`;

const text = (...parts: readonly string[]): string => `WITH ${parts.join(',')} ${outcomes}`;

/** Creates or changes the tasks of many rows; what comes back is the place and status of those that it did. */
const upsertPlainRows = { name: 'upsert-rows', text: text(given, found, updated, inserted) };

/** Creates or changes the tasks of many rows; new tasks get the items of the checklist template. */
const upsertListedRows = {
  name: 'upsert-listed-rows',
  text: text(given, found, updated, inserted, items),
};
