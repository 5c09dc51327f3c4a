import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { type NotificationEntity } from '../notification.entity.js';
import {
  type InboxOwner,
  inboxValues,
  isNoticeSeen,
  isNoticeShown,
  ownNotifications,
} from '../inbox.repository.js';
import { threadOf } from './mail-windows.repository.js';

export type UnreadNotice = Readonly<
  Pick<NotificationEntity, 'eventPlace' | 'workflowId' | 'taskId' | 'tasks' | 'reason' | 'actor' | 'at'>
> & {
  /** The type of its event; null if the event is no longer kept. */
  readonly type: string | null;
  /** The text of the comment, if it is about one. */
  readonly comment: string | null;
};

/** Notifications beyond this number wait for the next letter. */
const MOST_NOTICES = 1000;

/**
 * SQL: whether the reason of the notification `n` still applies: the task or item is open and theirs, their approval is
 * open, or the deadline still counts. Other reasons are about the past, and always apply.
 */
const isStillAsked = `CASE
  WHEN n.reason NOT IN ('assigned', 'due', 'approval') OR n.task_id IS NULL THEN true
  WHEN NOT t.is_active THEN false
  ELSE COALESCE((
    SELECT CASE
      WHEN n.reason = 'approval' THEN e.version >= t.version_offset + COALESCE(t.stage_version, 1) AND NOT EXISTS (
        SELECT FROM approvals a
        WHERE a.workspace_id = $1 AND a.task_id = t.id AND a.action_id = e.about ->> 'action' AND a.state = 'live'
          AND (a.group_id IS NULL OR (a.group_id = e.about ->> 'group' AND n.user_id IN (a.by_id, a.for_id)))
      ) AND NOT EXISTS (
        SELECT FROM events c
        WHERE c.workspace_id = $1 AND c.task_id = t.id AND c.place > e.place AND c.type = 'approval.complete'
          AND c.about ->> 'action' = e.about ->> 'action' AND c.about ->> 'group' = e.about ->> 'group'
      )
      WHEN e.type LIKE 'checklist_item.%' THEN EXISTS (
        SELECT FROM checklist_items i
        WHERE i.workspace_id = $1 AND i.workflow_id = t.workflow_id AND i.task_id = t.id AND i.id = e.about ->> 'id'
          AND i.assignee_id = n.user_id AND i.status = 'Blank'
      )
      ELSE t.assignee_id = n.user_id AND (n.reason = 'assigned' OR EXISTS (
        SELECT FROM clocks c
        WHERE c.workspace_id = $1 AND c.task_id = t.id AND c.clock_id = e.about ->> 'clock'
          AND c.state IN ('running', 'breached')
      ))
    END
    FROM events e WHERE e.workspace_id = $1 AND e.place = n.event_place
  ), t.assignee_id = n.user_id)
END`;

/** SQL: whether the notification `n` of a task `t` is unread and still applies, and its user sees what it is about. */
const isUnread = `(
  n.read_at IS NULL AND ${isNoticeShown} AND ${isNoticeSeen} AND ${isStillAsked}
)`;

const isOfWindow = `n.mail IN ('waiting', 'digest') AND ${threadOf} IS NOT DISTINCT FROM $5::bigint`;

/**
 * The notifications of a letter for these reasons, oldest first. Those for other reasons, and those that were read, can no
 * longer be seen or no longer apply, are never mailed.
 */
export async function takeUnread(
  db: EntityManager,
  owner: InboxOwner,
  thread: string | null,
  reasons: readonly string[],
): Promise<UnreadNotice[]> {
  return sql<UnreadNotice>(db, take, [...inboxValues(owner), thread, reasons]);
}

const isMailed = `(${isUnread} AND n.reason = ANY($6::text[]))`;

const take = {
  name: 'take-unread-notices',
  text: `
    WITH dropped AS (
      UPDATE notifications u SET mail = 'none' FROM (
        SELECT n.event_place FROM ${ownNotifications} AND ${isOfWindow} AND ${isMailed} IS NOT TRUE
        ORDER BY n.event_place FOR UPDATE OF n
      ) d
      WHERE u.workspace_id = $1 AND u.user_id = $2 AND u.event_place = d.event_place
    )
    SELECT n.event_place AS "eventPlace", n.workflow_id AS "workflowId", n.task_id AS "taskId", n.tasks, n.reason,
      n.actor, n.at, e.type, CASE e.type WHEN 'comment.created' THEN e.about ->> 'body' END AS comment
    FROM (
      SELECT n.* FROM ${ownNotifications} AND ${isOfWindow} AND ${isMailed} ORDER BY n.event_place LIMIT ${MOST_NOTICES}
    ) n
    LEFT JOIN events e ON e.workspace_id = $1 AND e.place = n.event_place
    ORDER BY n.event_place`,
};

/** Locks those of these notifications that are still unread and visible, and still apply; returns how many. */
export async function lockUnread(
  tx: EntityManager,
  owner: InboxOwner,
  places: readonly string[],
): Promise<number> {
  return (await sql(tx, lock, [...inboxValues(owner), places])).length;
}

const lock = {
  name: 'lock-unread-notices',
  text: `
    SELECT n.event_place FROM ${ownNotifications} AND n.event_place = ANY($5::bigint[]) AND ${isUnread}
    ORDER BY n.event_place FOR UPDATE OF n`,
};
