import { type EntityManager } from 'typeorm';
import { type UserKey } from '../../access/sessions.js';
import { type Leftovers } from '../../common/database/leftovers.js';
import { sql } from '../../common/database/sql.js';
import { type NotificationReason, notificationReasons } from '../../common/column-values.js';
import { type NotificationActor } from './notification.entity.js';
import { eventOrDecision, feedEnds } from '../../events/events.repository.js';
import { type Sight } from '../../workflows/model/roles.js';

export interface InboxOwner extends UserKey {
  readonly sight: Sight;
}

/** The parameters $1 to $4 of statements that use `isNoticeSeen`. */
export const inboxValues = ({ workspaceId, userId, sight }: InboxOwner): readonly unknown[] => [
  workspaceId,
  userId,
  sight.whole,
  sight.assigned,
];

/** SQL: the notifications `n` of the user $2 in the workspace $1, with their tasks `t`. */
export const ownNotifications = `
  notifications n
  JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = n.workflow_id AND t.id = n.task_id
  WHERE n.workspace_id = $1 AND n.user_id = $2`;

/**
 * SQL: whether the user $2 sees the task `t` of a notification `n`. The user sees all tasks of the workflows
 * in $3, and only assigned tasks of the workflows in $4.
 */
export const isNoticeSeen = `(
  n.workflow_id = ANY($3::integer[]) OR (n.workflow_id = ANY($4::integer[]) AND t.assignee_id = $2)
)`;

/**
 * SQL: a text such as `3.815`: a user has 3 unread notifications, and the event of the newest one has the
 * place 815. Counts up to 200. Also counts notifications of tasks that the user cannot see.
 */
const markOf = (user: string): string => `(
  SELECT count(*) || '.' || COALESCE(max(event_place), 0) FROM (
    SELECT n.event_place FROM notifications n
    WHERE n.workspace_id = $1 AND n.user_id = ${user} AND n.read_at IS NULL AND n.done_at IS NULL
    ORDER BY n.event_place DESC LIMIT 200
  ) newest
)`;

/** The state of an inbox. The parameters are `inboxValues`. */
export const readInboxState = {
  name: 'read-inbox-state',
  text: `
    SELECT ${markOf('$2')} AS mark, (
      SELECT count(DISTINCT task_id)::integer FROM (
        SELECT n.task_id FROM ${ownNotifications} AND n.read_at IS NULL AND n.done_at IS NULL AND ${isNoticeSeen}
        ORDER BY n.event_place DESC LIMIT 5000
      ) newest
    ) AS unread, (
      SELECT f.last_position::float8 FROM (${feedEnds('(SELECT $1::integer AS workspace_id) own')}) f
    ) AS position`,
};

export async function readInboxMarks(
  db: EntityManager,
  workspaceId: number,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ userId: string; mark: string }>(db, readMarks, [workspaceId, userIds]);
  return new Map(rows.map(({ userId, mark }) => [userId, mark]));
}

const readMarks = {
  name: 'read-inbox-marks',
  text: `SELECT u.id AS "userId", ${markOf('u.id')} AS mark FROM unnest($2::text[]) u (id)`,
};

/**
 * A line of an inbox: a notification about a task, and how many others the task has. The line names the
 * unread notification whose reason comes first in `notificationReasons`; if all are read, the first of all.
 */
export interface InboxLine {
  readonly workflowId: number;
  readonly taskId: string;
  readonly reason: NotificationReason;
  readonly actor: NotificationActor;
  /** The type of the event, or the decision (see `eventOrDecision`); null if the event has been deleted. */
  readonly event: string | null;
  /** When the newest event of the line happened. */
  readonly at: Date;
  readonly isUnread: boolean;
  readonly more: number;
}

export interface InboxPlace {
  readonly after: Pick<InboxLine, 'at' | 'taskId'> | undefined;
  readonly reason: NotificationReason | undefined;
}

/** SQL: whether `n` has the reason in the parameter `reason`; true if the parameter is null. */
const hasReason = (reason: string): string => `(${reason}::text IS NULL OR n.reason = ${reason})`;

/** SQL: an order of the notifications about a task. A line names the first one. */
const mostUrgentFirst = `array_position('{${notificationReasons.join()}}', reason::text), at DESC, event_place DESC`;

/** SQL: the lines of an inbox. If the parameter `reason` is not null, leaves out all other reasons. */
const linesOf = (reason: string): string => `
    WITH shown AS (
      SELECT n.* FROM ${ownNotifications} AND n.done_at IS NULL AND ${isNoticeSeen} AND ${hasReason(reason)}
    ), lines AS (
      SELECT DISTINCT ON (task_id) *, max(at) OVER of_task AS newest_at, count(*) OVER of_task AS count,
        bool_or(read_at IS NULL) OVER of_task AS is_unread
      FROM shown WINDOW of_task AS (PARTITION BY task_id)
      ORDER BY task_id, read_at IS NULL DESC, ${mostUrgentFirst}
    )`;

/** Reads at most $7 lines after the cursor ($5, $6). If $8 is not null, reads only notifications with this reason. */
export const readInbox = {
  name: 'read-inbox',
  text: `${linesOf('$8')}
    SELECT workflow_id AS "workflowId", task_id AS "taskId", reason, actor, newest_at AS at, is_unread AS "isUnread",
      (count - 1)::integer AS more,
      (SELECT ${eventOrDecision} FROM events e WHERE e.workspace_id = $1 AND e.place = lines.event_place) AS event
    FROM lines
    WHERE $5::timestamptz IS NULL OR (newest_at, task_id) < ($5, $6::bigint)
    ORDER BY newest_at DESC, task_id DESC LIMIT $7`,
};

/** Marks lines as done if they have no event after $5. If $6 is not null, considers only this reason. */
export const finishLines = {
  name: 'finish-inbox-lines',
  text: `${linesOf('$6')}
    UPDATE notifications n SET done_at = service_now(), read_at = COALESCE(n.read_at, service_now())
    FROM shown s JOIN lines l ON l.task_id = s.task_id
    WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.task_id = s.task_id AND n.event_place = s.event_place
      AND l.newest_at <= $5::timestamptz`,
};

/**
 * Changes a task's line: marks its notifications as read if $5, and as done if $6. If both are false, marks
 * the notification that the line names as unread. If $7 is not null, considers only this reason.
 */
export const changeLine = {
  name: 'change-inbox-line',
  text: `
    WITH own AS MATERIALIZED (
      SELECT n.task_id, n.event_place, n.at, n.reason FROM notifications n
      WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.done_at IS NULL AND ${hasReason('$7')} AND n.task_id = (
        SELECT t.id FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $3::integer AND t.public_id = $4
      )
      ORDER BY n.event_place FOR UPDATE
    )
    UPDATE notifications n SET
      read_at = CASE WHEN $5 THEN COALESCE(n.read_at, service_now()) WHEN l.is_first THEN NULL ELSE n.read_at END,
      done_at = CASE WHEN $6 THEN service_now() END
    FROM (
      SELECT task_id, event_place, row_number() OVER (ORDER BY ${mostUrgentFirst}) = 1 AS is_first FROM own
    ) l
    WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.task_id = l.task_id AND n.event_place = l.event_place
    RETURNING n.event_place`,
};

/** Marks all notifications of a user about a task as read. */
export const readTaskNotices = {
  name: 'read-task-notices',
  text: `
    UPDATE notifications SET read_at = service_now()
    WHERE workspace_id = $1 AND user_id = $2 AND read_at IS NULL AND task_id = (
      SELECT t.id FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $3 AND t.public_id = $4
    )
    RETURNING event_place`,
};

export const oldNotifications: Leftovers = {
  table: 'notifications',
  key: 'task_id, user_id, event_place',
  isOver: `at < service_now() - interval '90 days' AND COALESCE(done_at, read_at) < service_now() - interval '90 days'`,
  most: 5000,
};
