import { type EntityManager } from 'typeorm';
import { type Leased, Leases } from '../../../common/database/leases.js';
import { sql } from '../../../common/database/sql.js';
import { serviceTime } from '../../../common/database/shared-data-source.js';
import { type MailWindowEntity } from '../notification.entity.js';
import { type NewNotification } from '../follow.repository.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { nextDigest } from './next-digest.js';

export const mailWindowJob = 'notification-mail';

export type MailWindowKey = Readonly<Pick<MailWindowEntity, 'workspaceId' | 'userId' | 'letter'>>;

type ReadWindow = Readonly<Pick<MailWindowEntity, 'tries' | 'inDoubt'>>;

/** A claimed mail window. Notifications gather in the window until one letter lists them. */
export type ClaimedWindow = Leased<MailWindowKey & ReadWindow>;

export const windowLeases = new Leases<MailWindowKey, ReadWindow>({
  table: 'mail_windows',
  key: ['workspaceId', 'userId', 'letter'],
  isDue: 'due_at <= (SELECT service_now())',
  dueAt: 'due_at',
  read: 'tries, in_doubt AS "inDoubt"',
});

/** Opens a window for each letter that will list these notifications, if the window is not open yet. */
export async function openWindows(
  tx: EntityManager,
  { id, rows }: Workspace,
  waiting: readonly Pick<NewNotification, 'userId' | 'mail'>[],
): Promise<void> {
  const mailed = waiting.filter(({ mail }) => mail !== 'none');
  if (mailed.length === 0) return;
  await sql(tx, open, [
    id,
    mailed.map(({ userId }) => userId),
    mailed.map(({ mail }) => mail),
    nextDigest(serviceTime(tx), rows.workspace.timezone),
  ]);
}

// Most people at work read a notification within five minutes, so a prompt letter waits that long. The update
// locks a window that is already open: no process can close it before the new notifications are committed.
const open = {
  name: 'open-mail-windows',
  text: `
    INSERT INTO mail_windows (workspace_id, user_id, letter, due_at)
    SELECT $1::integer, w.user_id, w.letter,
      CASE w.letter WHEN 'digest' THEN $4::timestamptz ELSE service_now() + interval '5 minutes' END
    FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[])) w (user_id, letter)
    WHERE EXISTS (
      SELECT FROM notifications n
      WHERE n.workspace_id = $1 AND n.user_id = w.user_id AND n.mail = w.letter AND n.mail <> 'none'
    )
    ORDER BY w.user_id, w.letter
    ON CONFLICT (workspace_id, user_id, letter) DO UPDATE SET user_id = EXCLUDED.user_id`,
};

/** Sets when a claimed window is due again. Returns false if another process has claimed it. */
export async function postponeWindow(
  db: EntityManager,
  claimed: ClaimedWindow,
  dueAt: Date,
): Promise<boolean> {
  return (await sql(db, postpone, [...windowLeases.claimOf(claimed), dueAt])).length > 0;
}

const postpone = {
  name: 'postpone-mail-window',
  text: `
    UPDATE mail_windows SET due_at = $5, tries = tries + 1, in_doubt = NULL, lease_until = NULL
    WHERE ${windowLeases.isClaimed} RETURNING user_id`,
};

/** Records that these notifications may have been mailed. Returns false if the claim is lost. */
export async function noteDoubt(
  db: EntityManager,
  claimed: ClaimedWindow,
  places: readonly string[],
): Promise<boolean> {
  return (await sql(db, doubt, [...windowLeases.claimOf(claimed), places])).length > 0;
}

const doubt = {
  name: 'doubt-mail-window',
  text: `UPDATE mail_windows SET in_doubt = $5::bigint[] WHERE ${windowLeases.isClaimed} RETURNING user_id`,
};

/** Closes a window, and opens it again if notifications still wait. Returns false if the claim is lost. */
export async function closeWindow(
  tx: EntityManager,
  workspace: Workspace,
  claimed: ClaimedWindow,
  places: readonly string[],
): Promise<boolean> {
  const { workspaceId, userId, letter } = claimed;
  if (places.length > 0) await sql(tx, endMail, [workspaceId, userId, places]);
  if ((await sql(tx, close, windowLeases.claimOf(claimed))).length === 0) return false;
  await openWindows(tx, workspace, [{ userId, mail: letter }]);
  return true;
}

const endMail = {
  name: 'end-mail-of-notifications',
  text: `
    UPDATE notifications n SET mail = 'none'
    FROM (
      SELECT task_id, event_place FROM notifications
      WHERE workspace_id = $1 AND user_id = $2 AND event_place = ANY($3::bigint[]) AND mail <> 'none'
      ORDER BY event_place FOR UPDATE
    ) l
    WHERE n.workspace_id = $1 AND n.user_id = $2 AND n.task_id = l.task_id AND n.event_place = l.event_place`,
};

const close = {
  name: 'close-mail-window',
  text: `DELETE FROM mail_windows WHERE ${windowLeases.isClaimed} RETURNING user_id`,
};
