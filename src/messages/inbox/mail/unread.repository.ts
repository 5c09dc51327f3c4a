import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { type NoticeLetter } from '../../../common/column-values.js';
import { type NotificationEntity } from '../notification.entity.js';
import { eventOrDecision } from '../../../events/events.repository.js';
import { type InboxOwner, inboxValues, isNoticeSeen, ownNotifications } from '../inbox.repository.js';

export type UnreadNotice = Readonly<
  Pick<NotificationEntity, 'eventPlace' | 'workflowId' | 'taskId' | 'reason' | 'actor' | 'at'>
> & {
  /** The type of the event, or the decision (see `eventOrDecision`); null if the event has been deleted. */
  readonly type: string | null;
  /** The text of a new comment; null for other events. */
  readonly comment: string | null;
};

/** A letter lists at most this many notifications. The inbox shows the others, too. */
const MOST_NOTICES = 1000;

/** SQL: false if `n` asks for the approval of a group that is complete by the group's latest event. */
const isStillAsked = `(n.reason <> 'approval' OR true IS DISTINCT FROM (
  SELECT l.type = 'approval.complete' OR l.about ->> 'is_complete' = 'true' FROM events r
  JOIN events l ON l.workspace_id = $1 AND l.task_id = n.task_id AND l.place > r.place AND l.type LIKE 'approval.%'
    AND l.about ->> 'action' = r.about ->> 'action' AND l.about ->> 'group' = r.about ->> 'group'
  WHERE r.workspace_id = $1 AND r.place = n.event_place ORDER BY l.place DESC LIMIT 1
))`;

/** SQL: false if `n` tells of an assignment, but the user now has neither the task `t` nor an item of `t`. */
const isStillAssigned = `(n.reason <> 'assigned' OR t.assignee_id = n.user_id OR EXISTS (
  SELECT FROM checklist_items i
  WHERE i.workspace_id = $1 AND i.workflow_id = n.workflow_id AND i.task_id = n.task_id AND i.assignee_id = n.user_id
))`;

/** SQL: whether the notification `n` is unread and not outdated, and its user sees its task `t`. */
const isUnread = `(
  n.read_at IS NULL AND n.done_at IS NULL AND ${isNoticeSeen} AND ${isStillAsked} AND ${isStillAssigned}
)`;

/**
 * Returns the unread, visible notifications of a letter, oldest first. If the user does not want the letter,
 * returns none. Marks the notifications of the letter that are not returned as never to be mailed.
 */
export async function takeUnread(
  db: EntityManager,
  owner: InboxOwner,
  letter: NoticeLetter,
  isWanted: boolean,
): Promise<UnreadNotice[]> {
  return sql<UnreadNotice>(db, take, [...inboxValues(owner), letter, isWanted]);
}

const take = {
  name: 'take-unread-notices',
  text: `
    WITH mailed AS MATERIALIZED (
      SELECT n.* FROM ${ownNotifications} AND n.mail = $5 AND ${isUnread} AND $6::boolean
      ORDER BY n.event_place LIMIT ${MOST_NOTICES}
    ), dropped AS (
      UPDATE notifications u SET mail = 'none' FROM (
        SELECT n.task_id, n.event_place FROM notifications n
        WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.mail = $5 AND n.mail <> 'none'
          AND NOT EXISTS (SELECT FROM mailed m WHERE m.event_place = n.event_place)
        ORDER BY n.event_place FOR UPDATE OF n
      ) d
      WHERE u.workspace_id = $1 AND u.user_id = $2 AND u.task_id = d.task_id AND u.event_place = d.event_place
    )
    SELECT n.event_place AS "eventPlace", n.workflow_id AS "workflowId", n.task_id AS "taskId", n.reason, n.actor, n.at,
      ${eventOrDecision} AS type, CASE e.type WHEN 'comment.created' THEN e.about ->> 'body' END AS comment
    FROM mailed n
    LEFT JOIN events e ON e.workspace_id = $1 AND e.place = n.event_place
    ORDER BY n.event_place`,
};

/** Locks the given notifications that are still unread and visible; returns their number. */
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
