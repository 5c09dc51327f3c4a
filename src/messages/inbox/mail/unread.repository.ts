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

/** SQL: whether the notification `n` is unread, its user sees what it is about, and asks nothing of a task that is done. */
const isUnread = `(
  n.read_at IS NULL AND ${isNoticeShown} AND ${isNoticeSeen}
  AND (n.reason NOT IN ('assigned', 'due', 'approval') OR n.task_id IS NULL OR t.is_active)
)`;

const isOfWindow = `n.mail IN ('waiting', 'digest') AND ${threadOf} IS NOT DISTINCT FROM $5::bigint`;

/**
 * The notifications of a letter for these reasons, oldest first. Those for other reasons, and those that were read or
 * no longer matter, are never mailed.
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

/** Locks those of these notifications that are still unread and visible; returns how many. */
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
