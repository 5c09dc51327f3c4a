import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type WatchState } from '../../common/column-values.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { MOST_ALONE } from './tell.js';
import { type WatcherEntity } from './watcher.entity.js';
import { type NotificationEntity } from './notification.entity.js';
import { type NotificationChoices } from '../../workflows/model/entities/user.entity.js';

interface WatchedTask {
  readonly assigneeId: string | null;
  /** By the ids of users. */
  readonly watchers: Readonly<Record<string, WatchState>>;
}

interface WatchedAndChosen {
  /** By their ids. Tasks that no longer exist are absent. */
  readonly tasks: Readonly<Record<string, WatchedTask>>;
  /** By the ids of users. Users without choices are absent. */
  readonly choices: Readonly<Record<string, NotificationChoices>>;
}

/** The tasks of these events with their watchers, and the choices of all users. */
export async function readWatchedAndChosen(
  db: EntityManager,
  workspaceId: number,
  events: readonly Pick<RecordedEvent, 'workflowId' | 'taskId'>[],
): Promise<WatchedAndChosen> {
  const [row] = await sql<WatchedAndChosen>(db, readBoth, [
    workspaceId,
    events.map(({ workflowId }) => workflowId),
    events.map(({ taskId }) => taskId),
  ]);
  return row ?? { tasks: {}, choices: {} };
}

const readBoth = {
  name: 'read-watched-tasks-and-choices',
  text: `
    SELECT (
      SELECT COALESCE(jsonb_object_agg(t.id, jsonb_build_object('assigneeId', t.assignee_id, 'watchers', (
        SELECT COALESCE(jsonb_object_agg(w.user_id, w.state), '{}') FROM watchers w
        WHERE w.workspace_id = $1 AND w.task_id = t.id
      ))), '{}')
      FROM (SELECT DISTINCT * FROM unnest($2::integer[], $3::bigint[]) g (workflow_id, task_id)) g
      JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = g.workflow_id AND t.id = g.task_id
    ) AS tasks, (
      SELECT COALESCE(jsonb_object_agg(u.id, u.notification_choices), '{}') FROM users u
      WHERE u.workspace_id = $1 AND u.notification_choices::text <> '{}'
    ) AS choices`,
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

// The same order in all transactions prevents deadlocks.
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
    'userId' | 'eventPlace' | 'workflowId' | 'taskId' | 'reason' | 'actor' | 'requestId' | 'at' | 'mail'
  >
>;

/** Notifies each user of each event once. Many assignments to a user by one request share one row. */
export async function addNotifications(
  tx: EntityManager,
  workspaceId: number,
  added: readonly NewNotification[],
): Promise<void> {
  if (added.length === 0) return;
  const values = [workspaceId, JSON.stringify(added), MOST_ALONE];
  const large = await sql<{ userId: string; requestId: string }>(tx, insertNotifications, values);
  if (large.length === 0) return;
  const users = large.map(({ userId }) => userId);
  await sql(tx, sumUp, [workspaceId, users, large.map(({ requestId }) => requestId), MOST_ALONE]);
}

// Returns the requests that have assigned a user more tasks than may have rows of their own.
const insertNotifications = {
  name: 'add-notifications',
  text: `
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset($2::json) n ("userId" text, "eventPlace" bigint, "workflowId" integer,
        "taskId" bigint, reason text, actor json, "requestId" text, at timestamptz, mail text)
    ), added AS (
      INSERT INTO notifications
        (workspace_id, user_id, event_place, workflow_id, task_id, reason, actor, request_id, at, mail)
      SELECT $1, n."userId", n."eventPlace", n."workflowId", n."taskId", n.reason, n.actor, n."requestId", n.at, n.mail
      FROM given n ORDER BY n."userId", n."eventPlace"
      ON CONFLICT DO NOTHING
    )
    SELECT n."userId", n."requestId" FROM given n WHERE n."requestId" IS NOT NULL
    GROUP BY n."userId", n."requestId" HAVING count(*) + COALESCE((
      SELECT sum(o.tasks) FROM notifications o
      WHERE o.workspace_id = $1 AND o.user_id = n."userId" AND o.request_id = n."requestId"
    ), 0) > $3`,
};

// Adds later events of the request to its existing row.
const sumUp = {
  name: 'sum-notifications-up',
  text: `
    WITH many AS (
      SELECT n.user_id, n.workflow_id, n.request_id, sum(n.tasks)::integer AS tasks,
        (array_agg(n.event_place ORDER BY n.task_id IS NOT NULL, n.event_place))[1] AS kept
      FROM unnest($2::text[], $3::text[]) g (user_id, request_id)
      JOIN notifications n ON n.workspace_id = $1 AND n.user_id = g.user_id AND n.request_id = g.request_id
      GROUP BY n.user_id, n.workflow_id, n.request_id
      HAVING count(*) > 1 AND sum(n.tasks) > $4
    ), gone AS (
      DELETE FROM notifications n USING many m
      WHERE n.workspace_id = $1 AND n.user_id = m.user_id AND n.workflow_id = m.workflow_id
        AND n.request_id = m.request_id AND n.event_place <> m.kept
    )
    UPDATE notifications n SET task_id = NULL, tasks = m.tasks,
      read_at = CASE WHEN n.task_id IS NULL THEN n.read_at END,
      done_at = CASE WHEN n.task_id IS NULL THEN n.done_at END
    FROM many m WHERE n.workspace_id = $1 AND n.user_id = m.user_id AND n.event_place = m.kept`,
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
