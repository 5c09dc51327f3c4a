import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type WatchState } from '../../common/column-values.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type NotificationEntity, type WatcherEntity } from './notification.entity.js';

export interface WatchedTask {
  readonly assigneeId: string | null;
  /** Maps the id of a user to the user's watch state. */
  readonly watchers: Readonly<Record<string, WatchState>>;
}

/** Maps the id of each event's task to the task's assignee and watchers. Deleted tasks are absent. */
export async function readWatched(
  db: EntityManager,
  workspaceId: number,
  events: readonly Pick<RecordedEvent, 'workflowId' | 'taskId'>[],
): Promise<ReadonlyMap<string, WatchedTask>> {
  const rows = await sql<WatchedTask & { readonly id: string }>(db, readTasks, [
    workspaceId,
    events.map(({ workflowId }) => workflowId),
    events.map(({ taskId }) => taskId),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

const readTasks = {
  name: 'read-watched-tasks',
  text: `
    SELECT t.id, t.assignee_id AS "assigneeId", (
      SELECT COALESCE(jsonb_object_agg(w.user_id, w.state), '{}') FROM watchers w
      WHERE w.workspace_id = $1 AND w.task_id = t.id
    ) AS watchers
    FROM (SELECT DISTINCT * FROM unnest($2::integer[], $3::bigint[]) g (workflow_id, task_id)) g
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = g.workflow_id AND t.id = g.task_id`,
};

export type NewWatcher = Readonly<Pick<WatcherEntity, 'workflowId' | 'taskId' | 'userId'>>;

/** Makes users watch tasks, unless their watch state is already set. */
export async function addWatchers(
  tx: EntityManager,
  workspaceId: number,
  watchers: readonly NewWatcher[],
): Promise<void> {
  if (watchers.length > 0) await sql(tx, insertWatchers, [workspaceId, JSON.stringify(watchers)]);
}

// All transactions insert rows in the same order, so that they cannot deadlock.
const insertWatchers = {
  name: 'add-watchers',
  text: `
    INSERT INTO watchers (workspace_id, workflow_id, task_id, user_id, state)
    SELECT $1, g."workflowId", g."taskId", g."userId", 'auto'
    FROM json_to_recordset($2::json) g ("workflowId" integer, "taskId" bigint, "userId" text)
    JOIN users u ON u.workspace_id = $1 AND u.id = g."userId"
    ORDER BY g."taskId", g."userId"
    ON CONFLICT DO NOTHING`,
};

export type NewNotification = Readonly<
  Pick<
    NotificationEntity,
    'userId' | 'eventPlace' | 'workflowId' | 'taskId' | 'reason' | 'actor' | 'at' | 'mail'
  >
>;

/** Inserts notifications. A user gets at most one notification for each event. */
export async function addNotifications(
  tx: EntityManager,
  workspaceId: number,
  added: readonly NewNotification[],
): Promise<void> {
  if (added.length > 0) await sql(tx, insertNotifications, [workspaceId, JSON.stringify(added)]);
}

const insertNotifications = {
  name: 'add-notifications',
  text: `
    INSERT INTO notifications (workspace_id, user_id, event_place, workflow_id, task_id, reason, actor, at, mail)
    SELECT $1, n."userId", n."eventPlace", n."workflowId", n."taskId", n.reason, n.actor, n.at, n.mail
    FROM json_to_recordset($2::json) n ("userId" text, "eventPlace" bigint, "workflowId" integer, "taskId" bigint,
      reason text, actor json, at timestamptz, mail text)
    ORDER BY n."userId", n."eventPlace"
    ON CONFLICT DO NOTHING`,
};

export async function forgetTasks(
  tx: EntityManager,
  workspaceId: number,
  taskIds: readonly string[],
): Promise<void> {
  if (taskIds.length > 0) await sql(tx, forget, [workspaceId, taskIds]);
}

const forget = {
  name: 'forget-notifications-of-tasks',
  text: `
    WITH watched AS (DELETE FROM watchers WHERE workspace_id = $1 AND task_id = ANY($2::bigint[]))
    DELETE FROM notifications WHERE workspace_id = $1 AND task_id = ANY($2::bigint[])`,
};
