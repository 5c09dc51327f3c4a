import { type EntityManager } from 'typeorm';
import { type Leased, Leases } from '../../../common/database/leases.js';
import { sql } from '../../../common/database/sql.js';
import { type MailState } from '../../../common/column-values.js';
import { type MailWindowEntity } from '../mail-window.entity.js';
import { type NewNotification } from '../follow.repository.js';

export const mailWindowJob = 'notification-mail';

export type MailWindowKey = Readonly<Pick<MailWindowEntity, 'workspaceId' | 'id'>>;

type ReadWindow = Readonly<
  Pick<MailWindowEntity, 'userId' | 'thread' | 'openedAt' | 'isPlaced' | 'tries' | 'inDoubt'>
>;

/** A window that this process holds until its lease ends; writes require its fence. */
export type ClaimedWindow = Leased<MailWindowKey & ReadWindow>;

export const windowLeases = new Leases<MailWindowKey, ReadWindow>({
  table: 'mail_windows',
  key: ['workspaceId', 'id'],
  isDue: 'due_at <= (SELECT service_now())',
  dueAt: 'due_at',
  read: `user_id AS "userId", thread, opened_at AS "openedAt", is_placed AS "isPlaced", tries, in_doubt AS "inDoubt"`,
});

/** SQL: the thread of a letter about the notification `n`; null for the digest. */
export const threadOf = `
  CASE WHEN n.reason <> 'watching' AND n.mail = 'waiting' THEN COALESCE(n.task_id, -n.event_place) END`;

/** Opens windows for these notifications, as far as they are to be mailed and have none yet. */
export async function openWindows(
  tx: EntityManager,
  workspaceId: number,
  added: readonly Pick<NewNotification, 'userId' | 'eventPlace' | 'requestId' | 'mail'>[],
): Promise<void> {
  const mailed = added.filter(({ mail }) => mail === 'waiting');
  if (mailed.length === 0) return;
  await sql(tx, open, [
    workspaceId,
    mailed.map(({ userId }) => userId),
    mailed.map(({ eventPlace }) => eventPlace),
    mailed.map(({ requestId }) => requestId),
  ]);
}

// Locks an open window until the new notifications are committed. Otherwise, it might be closed without them.
const lockOpen = 'ON CONFLICT (workspace_id, user_id, thread) DO UPDATE SET user_id = EXCLUDED.user_id';

const open = {
  name: 'open-mail-windows',
  text: `
    WITH added AS (
      SELECT * FROM unnest($2::text[], $3::bigint[], $4::text[]) a (user_id, event_place, request_id)
    ), told AS (
      SELECT n.user_id, ${threadOf} AS thread FROM added a
      JOIN notifications n ON n.workspace_id = $1 AND n.user_id = a.user_id AND n.event_place = a.event_place
      WHERE n.mail = 'waiting'
      UNION
      SELECT n.user_id, ${threadOf} FROM (SELECT DISTINCT user_id, request_id FROM added WHERE request_id IS NOT NULL) a
      JOIN notifications n ON n.workspace_id = $1 AND n.user_id = a.user_id AND n.request_id = a.request_id
      WHERE n.mail = 'waiting' AND n.task_id IS NULL
    )
    INSERT INTO mail_windows (workspace_id, user_id, thread)
    SELECT $1, user_id, thread FROM told ORDER BY user_id, thread
    ${lockOpen}`,
};

/** Sets when a claimed window is due: for the first time, or again after a try. */
export async function postponeWindow(
  db: EntityManager,
  claimed: ClaimedWindow,
  dueAt: Date,
): Promise<boolean> {
  return (await sql(db, postpone, [...windowLeases.claimOf(claimed), dueAt, claimed.tries])).length > 0;
}

const postpone = {
  name: 'postpone-mail-window',
  text: `
    UPDATE mail_windows SET due_at = $4, tries = $5, is_placed = true, in_doubt = NULL, lease_until = NULL
    WHERE ${windowLeases.isClaimed} RETURNING id`,
};

/** Records which notifications may be sent from now on; false if another process has the window. */
export async function noteDoubt(
  db: EntityManager,
  claimed: ClaimedWindow,
  places: readonly string[],
): Promise<boolean> {
  return (await sql(db, doubt, [...windowLeases.claimOf(claimed), places])).length > 0;
}

const doubt = {
  name: 'doubt-mail-window',
  text: `UPDATE mail_windows SET in_doubt = $4::bigint[] WHERE ${windowLeases.isClaimed} RETURNING id`,
};

/**
 * Closes a claimed window, sets what becomes of these notifications, and opens the next window for newer or digest mail;
 * false if another process has it.
 */
export async function closeWindow(
  tx: EntityManager,
  claimed: ClaimedWindow,
  places: readonly string[],
  state: MailState,
): Promise<boolean> {
  const { workspaceId, userId, thread } = claimed;
  if (places.length > 0) await sql(tx, setState, [workspaceId, userId, places, state]);
  if ((await sql(tx, close, windowLeases.claimOf(claimed))).length === 0) return false;
  await sql(tx, reopen, [workspaceId, userId, thread]);
  return true;
}

const setState = {
  name: 'set-mail-state',
  text: `
    UPDATE notifications n SET mail = $4
    FROM (
      SELECT event_place FROM notifications WHERE workspace_id = $1 AND user_id = $2 AND event_place = ANY($3::bigint[])
      ORDER BY event_place FOR UPDATE
    ) l
    WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.event_place = l.event_place`,
};

const close = {
  name: 'close-mail-window',
  text: `DELETE FROM mail_windows WHERE ${windowLeases.isClaimed} RETURNING id`,
};

const reopen = {
  name: 'reopen-mail-windows',
  text: `
    INSERT INTO mail_windows (workspace_id, user_id, thread)
    SELECT DISTINCT $1::integer, $2::text, m.thread FROM (
      SELECT ${threadOf} AS thread FROM notifications n
      WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.mail IN ('waiting', 'digest')
    ) m
    WHERE m.thread IS NULL OR m.thread = $3::bigint
    ${lockOpen}`,
};
