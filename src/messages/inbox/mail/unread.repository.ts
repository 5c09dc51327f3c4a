import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { type UserEntity } from '../../../workflows/model/entities/user.entity.js';
import { type NotificationEntity } from '../notification.entity.js';
import { type InboxOwner, isNoticeSeen } from '../inbox.repository.js';
import { type ClaimedWindow, threadOf } from './mail-windows.repository.js';

export type Addressee = Readonly<
  Pick<UserEntity, 'email' | 'active' | 'notificationChoices' | 'timeZone' | 'undeliverableAt'>
> & { readonly now: Date };

export async function readAddressee(
  db: EntityManager,
  { workspaceId, userId }: Pick<ClaimedWindow, 'workspaceId' | 'userId'>,
): Promise<Addressee | undefined> {
  const [row] = await sql<Addressee>(db, readUser, [workspaceId, userId]);
  return row;
}

const readUser = {
  name: 'read-addressee',
  text: `
    SELECT email, active, notification_choices AS "notificationChoices", time_zone AS "timeZone",
      undeliverable_at AS "undeliverableAt", service_now() AS now
    FROM users WHERE workspace_id = $1 AND id = $2`,
};

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

const valuesOf = ({ workspaceId, userId, sight }: InboxOwner, further: unknown): readonly unknown[] => [
  workspaceId,
  userId,
  sight.whole,
  sight.assigned,
  further,
];

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
  n.read_at IS NULL AND n.done_at IS NULL AND (n.snoozed_until IS NULL OR n.snoozed_until <= service_now())
  AND ${isNoticeSeen} AND ${isStillAsked}
)`;

const withTask = `
  notifications n LEFT JOIN tasks t
    ON t.workspace_id = $1 AND t.workflow_id = n.workflow_id AND t.id = n.task_id
  WHERE n.workspace_id = $1 AND n.user_id = $2`;

const isOfWindow = `n.mail IN ('waiting', 'digest') AND ${threadOf} IS NOT DISTINCT FROM $5::bigint`;

/** Oldest first. Those that were read, can no longer be seen or no longer apply are never mailed. */
export async function takeUnread(
  db: EntityManager,
  owner: InboxOwner,
  thread: string | null,
): Promise<UnreadNotice[]> {
  return sql<UnreadNotice>(db, take, valuesOf(owner, thread));
}

const take = {
  name: 'take-unread-notices',
  text: `
    WITH dropped AS (
      UPDATE notifications u SET mail = 'none' FROM (
        SELECT n.event_place FROM ${withTask} AND ${isOfWindow} AND ${isUnread} IS NOT TRUE
        ORDER BY n.event_place FOR UPDATE OF n
      ) d
      WHERE u.workspace_id = $1 AND u.user_id = $2 AND u.event_place = d.event_place
    )
    SELECT n.event_place AS "eventPlace", n.workflow_id AS "workflowId", n.task_id AS "taskId", n.tasks, n.reason,
      n.actor, n.at, e.type, CASE e.type WHEN 'comment.created' THEN e.about ->> 'body' END AS comment
    FROM (
      SELECT n.* FROM ${withTask} AND ${isOfWindow} AND ${isUnread} ORDER BY n.event_place LIMIT ${MOST_NOTICES}
    ) n
    LEFT JOIN events e ON e.workspace_id = $1 AND e.place = n.event_place
    ORDER BY n.event_place`,
};

/** Marks those of these notifications as sent that are still unread and visible; returns how many. */
export async function noteSent(
  tx: EntityManager,
  owner: InboxOwner,
  places: readonly string[],
): Promise<number> {
  return (await sql(tx, note, valuesOf(owner, places))).length;
}

const note = {
  name: 'note-sent-notices',
  text: `
    UPDATE notifications u SET mail = 'sent' FROM (
      SELECT n.event_place FROM ${withTask} AND n.event_place = ANY($5::bigint[]) AND ${isUnread}
      ORDER BY n.event_place FOR UPDATE OF n
    ) l
    WHERE u.workspace_id = $1 AND u.user_id = $2 AND u.event_place = l.event_place
    RETURNING u.event_place`,
};
