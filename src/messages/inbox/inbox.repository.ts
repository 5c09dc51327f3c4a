import { type EntityManager } from 'typeorm';
import { type UserKey } from '../../access/sessions.js';
import { type Leftovers } from '../../common/database/leftovers.js';
import { sql } from '../../common/database/sql.js';
import { type NotificationReason } from '../../common/column-values.js';
import { type NotificationActor } from './notification.entity.js';
import { feedEnds } from '../../events/events.repository.js';
import { type Sight } from '../../workflows/model/roles.js';

export interface InboxOwner extends UserKey {
  readonly sight: Sight;
}

/** The first parameters of a statement about an inbox. */
export const inboxValues = ({ workspaceId, userId, sight }: InboxOwner): readonly unknown[] => [
  workspaceId,
  userId,
  sight.whole,
  sight.assigned,
];

/** SQL: the notifications `n` of the user $2 in the workspace $1, with their tasks `t`. */
export const ownNotifications = `
  notifications n
  LEFT JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = n.workflow_id AND t.id = n.task_id
  WHERE n.workspace_id = $1 AND n.user_id = $2`;

/**
 * SQL: whether the user $2 sees what the notification `n` is about: its task `t`, if that exists, or the workflow of
 * many assigned tasks. The user sees all tasks of the workflows $3, and their own tasks in $4.
 */
export const isNoticeSeen = `(
  (n.task_id IS NULL OR t.id IS NOT NULL)
  AND (n.workflow_id = ANY($3::integer[])
    OR (n.workflow_id = ANY($4::integer[]) AND (n.task_id IS NULL OR t.assignee_id = $2)))
)`;

/** SQL: whether the notification `n` is neither done nor snoozed. */
export const isNoticeShown =
  'n.done_at IS NULL AND (n.snoozed_until IS NULL OR n.snoozed_until <= service_now())';

/** SQL: what groups notifications into lines: all about one task, or all assignments by one request. */
const lineOf = 'COALESCE(n.task_id, -n.event_place)';

/** SQL: a mark that changes when a user gets unread notifications, whether or not the user may see them. */
const markOf = (user: string): string => `(
  SELECT count(*) || '.' || COALESCE(max(event_place), 0) || '.' || COALESCE(sum(tasks), 0) FROM (
    SELECT n.event_place, n.tasks FROM notifications n
    WHERE n.workspace_id = $1 AND n.user_id = ${user} AND n.read_at IS NULL AND ${isNoticeShown}
    ORDER BY n.event_place DESC LIMIT 200
  ) newest
)`;

/** The state of an inbox; its parameters are `inboxValues`. */
export const readInboxState = {
  name: 'read-inbox-state',
  text: `
    SELECT ${markOf('$2')} AS mark, (
      SELECT count(DISTINCT line)::integer FROM (
        SELECT ${lineOf} AS line FROM ${ownNotifications} AND n.read_at IS NULL AND ${isNoticeShown} AND ${isNoticeSeen}
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

/** A line of an inbox: its newest notification, and the number of the others. */
export interface InboxLine {
  readonly workflowId: number;
  /** Null if the line is about many tasks. */
  readonly taskId: string | null;
  readonly tasks: number;
  readonly requestId: string | null;
  readonly reason: NotificationReason;
  readonly actor: NotificationActor;
  /** When the event happened, or its snooze ended. */
  readonly at: Date;
  readonly isUnread: boolean;
  readonly more: number;
  /** Tells lines with the same time apart. */
  readonly line: string;
}

export interface InboxPlace {
  readonly after: { readonly at: Date; readonly line: string } | undefined;
  readonly reason: NotificationReason | undefined;
}

/** SQL: the lines of an inbox, each represented by its newest notification. */
const lines = `
    WITH shown AS (
      SELECT n.*, ${lineOf} AS line, GREATEST(n.at, n.snoozed_until) AS shown_at
      FROM ${ownNotifications} AND ${isNoticeShown} AND ${isNoticeSeen}
    ), lines AS (
      SELECT DISTINCT ON (line) *, count(*) OVER of_line AS count, bool_or(read_at IS NULL) OVER of_line AS is_unread
      FROM shown WINDOW of_line AS (PARTITION BY line) ORDER BY line, shown_at DESC, event_place DESC
    )`;

/** A page of lines behind a time and a line ($5 and $6), at most $7, for a reason ($8) or all. */
export const readInbox = {
  name: 'read-inbox',
  text: `${lines}
    SELECT workflow_id AS "workflowId", task_id AS "taskId", tasks, request_id AS "requestId", reason, actor,
      shown_at AS at, is_unread AS "isUnread", (count - 1)::integer AS more, line
    FROM lines
    WHERE ($5::timestamptz IS NULL OR (shown_at, line) < ($5, $6::bigint)) AND ($8::text IS NULL OR reason = $8)
    ORDER BY shown_at DESC, line DESC LIMIT $7`,
};

/** Marks as done all lines, or those of a reason ($6), that had arrived at a time ($5). */
export const finishLines = {
  name: 'finish-inbox-lines',
  text: `${lines}
    UPDATE notifications n SET done_at = service_now(), read_at = COALESCE(n.read_at, service_now())
    FROM shown s JOIN lines l ON l.line = s.line
    WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.event_place = s.event_place AND s.shown_at <= $5::timestamptz
      AND l.shown_at <= $5::timestamptz AND ($6::text IS NULL OR l.reason = $6)`,
};

/**
 * Marks the line of a task ($3, $4) or request ($5) as read ($6) or unread, done ($7) or snoozed ($8). Unread applies
 * to its newest notification only.
 */
export const changeLine = {
  name: 'change-inbox-line',
  text: `
    WITH own AS MATERIALIZED (
      SELECT n.event_place, n.at FROM notifications n
      WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.done_at IS NULL AND CASE
        WHEN $5::text IS NOT NULL THEN n.task_id IS NULL AND n.request_id = $5
        ELSE n.task_id = (
          SELECT t.id FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $3::integer AND t.public_id = $4
        ) END
      ORDER BY n.event_place FOR UPDATE
    )
    UPDATE notifications n SET
      read_at = CASE WHEN $6 THEN COALESCE(n.read_at, service_now()) WHEN l.is_newest THEN NULL ELSE n.read_at END,
      done_at = CASE WHEN $7 THEN service_now() END,
      snoozed_until = $8::timestamptz
    FROM (
      SELECT event_place, row_number() OVER (ORDER BY at DESC, event_place DESC) = 1 AS is_newest FROM own
    ) l
    WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.event_place = l.event_place
    RETURNING n.event_place`,
};

/** SQL: the unread notifications of the user $2 about the task $4 of the workflow $3, except snoozed ones. */
const isUnreadOfTask = `
  workspace_id = $1 AND user_id = $2 AND read_at IS NULL AND task_id = (
    SELECT t.id FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $3 AND t.public_id = $4
  )
  AND (snoozed_until IS NULL OR snoozed_until <= service_now())`;

/** Marks all notifications of a user about a task as read, except snoozed ones. */
export const readTaskNotices = {
  name: 'read-task-notices',
  text: `
    UPDATE notifications SET read_at = service_now() WHERE ${isUnreadOfTask}
    RETURNING event_place`,
};

/** Notifications read or done more than 90 days ago. */
export const oldNotifications: Leftovers = {
  table: 'notifications',
  key: 'user_id, event_place',
  isOver: `at < service_now() - interval '90 days' AND COALESCE(done_at, read_at) < service_now() - interval '90 days'`,
  most: 5000,
};
