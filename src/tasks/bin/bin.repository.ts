import { type EntityManager } from 'typeorm';
import { sql, tellOrigin } from '../../database/sql.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type IdPage, pageOfLinks } from '../../task-store/linked-tasks.js';
import { type TaskKey } from '../../task-store/task-keys.js';
import { type TaskView } from '../../schema/task-view.js';
import { type Workflow } from '../../workspace/workspace.js';

/** Days for which a deleted task can be restored, with its files. */
const BIN_DAYS = 30;

/** The event of a deletion; its `id` in a page is its place. */
export type RecordedDeletion = Pick<
  RecordedEvent,
  'happenedAt' | 'origin' | 'taskId' | 'publicId' | 'uniqueValue' | 'version'
> &
  Pick<RecordedEvent, 'stageFrom' | 'assigneeFrom' | 'valuesFrom' | 'links'> & {
    readonly id: string;
    readonly found: string;
  };

/** The tasks that can be restored, last deleted first, before a place ('0': all); about 2 MB of values at most. */
export async function readBin(
  db: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  before: string,
  limit: number,
): Promise<IdPage<RecordedDeletion>> {
  return pageOfLinks(await sql<RecordedDeletion>(db, list, [workspaceId, id, before, limit + 1]), limit);
}

/** The last deletion of the task with this public id; undefined if it cannot be restored. */
export async function findDeletion(
  tx: EntityManager,
  { workspaceId, id }: Workflow,
  publicId: string,
): Promise<RecordedDeletion | undefined> {
  const [deletion] = await sql<RecordedDeletion>(tx, find, [workspaceId, id, publicId]);
  return deletion;
}

const columns = `
  e.place AS id, e.happened_at AS "happenedAt", e.origin, e.task_id AS "taskId", e.public_id AS "publicId",
  e.unique_value AS "uniqueValue", e.version, e.stage_from AS "stageFrom", e.assignee_from AS "assigneeFrom",
  e.values_from AS "valuesFrom", e.links`;

// An event that a reset has erased has no origin, and cannot be restored.
const isInBin = `
  e.workspace_id = $1 AND e.workflow_id = $2 AND e.type = 'task.deleted' AND e.origin IS NOT NULL
  AND e.happened_at > service_now() - interval '${BIN_DAYS} days'
  AND NOT EXISTS (SELECT FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = e.task_id)
  AND NOT EXISTS (
    SELECT FROM events later WHERE later.workspace_id = $1 AND later.task_id = e.task_id
      AND later.type = 'task.deleted' AND later.place > e.place
  )`;

const list = {
  name: 'read-bin',
  text: `
    SELECT b.* FROM (
      SELECT ${columns}, count(*) OVER () AS found,
        sum(pg_column_size(e.values_from)) OVER (ORDER BY e.happened_at DESC, e.place DESC) - pg_column_size(e.values_from) AS preceding
      FROM (
        SELECT * FROM events e WHERE ${isInBin} AND ($3::bigint = 0 OR (e.happened_at, e.place) < (
          SELECT c.happened_at, c.place FROM events c WHERE c.workspace_id = $1 AND c.place = $3::bigint
        ))
        ORDER BY e.happened_at DESC, e.place DESC LIMIT $4
      ) e
    ) b
    WHERE b.preceding < 2000000
    ORDER BY b."happenedAt" DESC, b.id DESC`,
};

const find = {
  name: 'find-deletion',
  text: `SELECT ${columns}, '1' AS found FROM events e WHERE ${isInBin} AND e.public_id = $3`,
};

/** Those of these files whose bytes still exist, locked until the transaction ends. */
export async function keptFiles(
  tx: EntityManager,
  workspaceId: number,
  blobIds: readonly string[],
): Promise<Set<string>> {
  if (blobIds.length === 0) return new Set();
  const rows = await sql<{ id: string }>(tx, lockFiles, [workspaceId, blobIds]);
  return new Set(rows.map(({ id }) => id));
}

const lockFiles = {
  name: 'lock-released-blobs',
  text: `
    SELECT id FROM blobs WHERE workspace_id = $1 AND id = ANY($2::text[])
      AND task_id IS NULL AND filename IS NOT NULL AND NOT is_doomed
    FOR UPDATE`,
};

/** The data of a task to restore. */
export interface RestoredTask extends Pick<TaskView, 'publicId' | 'uniqueValue' | 'stageId' | 'assigneeId'> {
  readonly taskId: string;
  readonly isActive: boolean;
  readonly fieldValues: TaskView['fieldValues'];
  /** The version of its deletion, from which new versions count on. */
  readonly version: number;
  readonly blobIds: readonly string[];
}

/**
 * Writes the task again under its former ids, with the data in its events: creation time, editors, comments and
 * checklist. Returns false, and writes nothing, if another task has its Unique ID by now.
 */
export async function writeRestored(
  tx: EntityManager,
  { workspaceId, id: workflowId, version: definition }: Workflow,
  task: RestoredTask,
): Promise<boolean> {
  const key: TaskKey = { workspaceId, workflowId, taskId: task.taskId };
  const values = [
    ...[workspaceId, workflowId, definition, task.taskId, task.publicId, task.uniqueValue],
    ...[task.stageId, task.isActive, task.assigneeId, JSON.stringify(task.fieldValues), task.version],
  ];
  if ((await sql(tx, insert, values)).length === 0) return false;
  const place = [workspaceId, workflowId, task.taskId];
  if (task.blobIds.length > 0) await sql(tx, nameAgain, [...place, task.blobIds]);
  await sql(tx, noteEditors, place);
  await withoutEvents(tx, key, async () => {
    await sql(tx, insertComments, place);
    await sql(tx, insertItems, place);
  });
  return true;
}

/** Suppresses events for data that returns with its task: the task's own event covers it. */
async function withoutEvents(
  tx: EntityManager,
  { workspaceId }: TaskKey,
  write: () => Promise<void>,
): Promise<void> {
  const [row] = await sql<{ origin: string }>(tx, readOrigin, [workspaceId]);
  await tellOrigin(tx, workspaceId, 'none');
  await write();
  await tellOrigin(tx, workspaceId, row?.origin);
}

const readOrigin = {
  name: 'read-origin',
  text: `SELECT current_setting('wts.origin', true) AS origin WHERE $1::integer > 0`,
};

const insert = {
  name: 'restore-task',
  text: `
    INSERT INTO tasks (workspace_id, workflow_id, id, public_id, unique_value, stage_id, is_active, assignee_id,
      field_values, version_offset, created_at)
    OVERRIDING SYSTEM VALUE
    SELECT $1::integer, $2::integer, $4::bigint, $5, $6, $7::integer, $8::boolean, $9, $10::jsonb, $11::bigint, COALESCE((
      SELECT min(e.happened_at) FROM events e
      WHERE e.workspace_id = $1 AND e.task_id = $4::bigint AND e.type = 'task.created'
    ), service_now())
    WHERE assert_definition($1, $2, $3)
    ON CONFLICT DO NOTHING
    RETURNING id`,
};

const nameAgain = {
  name: 'name-blobs-again',
  text: `
    UPDATE blobs SET workflow_id = $2, task_id = $3, unnamed_at = NULL WHERE workspace_id = $1 AND id = ANY($4::text[])`,
};

// A user who edited the task before its deletion still may not approve it.
const noteEditors = {
  name: 'note-editors-again',
  text: `
    INSERT INTO task_editors (workspace_id, workflow_id, task_id, part, user_id, edited_at)
    SELECT $1, $2, $3, p.part, author_of(e.origin), max(e.happened_at)
    FROM events e
    CROSS JOIN LATERAL unnest(CASE e.type WHEN 'task.created' THEN ARRAY['+'] ELSE changed_parts(e) END) p (part)
    WHERE e.workspace_id = $1 AND e.task_id = $3 AND e.type IN ('task.created', 'task.updated')
      AND author_of(e.origin) IS NOT NULL AND EXISTS (
        SELECT FROM workflows w WHERE w.workspace_id = $1 AND w.id = $2 AND w.approvals_since IS NOT NULL
      )
    GROUP BY p.part, author_of(e.origin)
    ON CONFLICT DO NOTHING`,
};

const insertComments = {
  name: 'restore-comments',
  text: `
    INSERT INTO comments (workspace_id, workflow_id, task_id, author_id, said_by, body, mentions, created_at)
    SELECT $1, $2, $3, u.id, e.about ->> 'said_by', e.about ->> 'body', e.about -> 'mentions',
      (e.about ->> 'created_at')::timestamptz
    FROM events e
    LEFT JOIN users u ON u.workspace_id = $1 AND u.id = e.about ->> 'author'
    WHERE e.workspace_id = $1 AND e.task_id = $3 AND e.type = 'comment.created'
    ORDER BY e.place`,
};

// Template items have no event until changed, so title and stage identify them. Others keep their ids.
const insertItems = {
  name: 'restore-checklist',
  text: `
    WITH latest AS (
      SELECT DISTINCT ON (e.about ->> 'id') e.place, e.type, e.about ->> 'id' AS id, e.about ->> 'title' AS title,
        e.about ->> 'status' AS status, e.about ->> 'assignee' AS assignee_id, (e.about ->> 'editable')::boolean AS is_editable,
        (e.about ->> 'stage')::integer AS stage_id
      FROM events e
      WHERE e.workspace_id = $1 AND e.task_id = $3
        AND e.type IN ('checklist_item.created', 'checklist_item.updated', 'checklist_item.deleted')
      ORDER BY e.about ->> 'id', e.place DESC
    ), items AS (
      SELECT 0 AS part, i.position AS place, random_id() AS id, i.title, i.stage_id, COALESCE(l.status, 'Blank') AS status,
        l.assignee_id, false AS is_editable
      FROM checklist_template_items i
      LEFT JOIN LATERAL (
        SELECT l.status, l.assignee_id FROM latest l
        WHERE NOT l.is_editable AND l.title = i.title AND l.stage_id = i.stage_id ORDER BY l.place DESC LIMIT 1
      ) l ON true
      WHERE i.workspace_id = $1 AND i.workflow_id = $2
      UNION ALL
      SELECT 1, l.place, l.id, l.title, l.stage_id, l.status, l.assignee_id, true FROM latest l
      WHERE l.is_editable AND l.type <> 'checklist_item.deleted'
    )
    INSERT INTO checklist_items (workspace_id, id, workflow_id, task_id, title, stage_id, status, assignee_id, is_editable)
    SELECT $1, i.id, $2, $3, i.title, i.stage_id, i.status, u.id, i.is_editable FROM items i
    JOIN stages s ON s.workspace_id = $1 AND s.workflow_id = $2 AND s.id = i.stage_id
    LEFT JOIN users u ON u.workspace_id = $1 AND u.id = i.assignee_id
    ORDER BY i.part, i.place`,
};
