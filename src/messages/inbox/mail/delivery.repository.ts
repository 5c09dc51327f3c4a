import { type EntityManager } from 'typeorm';
import { type UserKey } from '../../../access/sessions.js';
import { sql } from '../../../common/database/sql.js';

/** After this many permanent refusals in a row, an address counts as undeliverable. */
const MOST_REFUSALS = 3;

/** Records a permanent refusal of a user's address; returns whether the address now counts as undeliverable. */
export async function noteRefusal(db: EntityManager, { workspaceId, userId }: UserKey): Promise<boolean> {
  const [row] = await sql<{ isOver: boolean }>(db, refuse, [workspaceId, userId]);
  return row?.isOver ?? false;
}

const refuse = {
  name: 'note-mail-refusal',
  text: `
    UPDATE users SET mail_refusals = mail_refusals + 1, undeliverable_at = CASE
      WHEN mail_refusals + 1 >= ${MOST_REFUSALS} THEN COALESCE(undeliverable_at, service_now()) ELSE undeliverable_at END
    WHERE workspace_id = $1 AND id = $2 RETURNING undeliverable_at IS NOT NULL AS "isOver"`,
};

/** For these reasons, replaces mail by the inbox. Reasons that the user has turned off completely stay off. */
export async function endMailOf(
  db: EntityManager,
  { workspaceId, userId }: UserKey,
  reasons: readonly string[],
): Promise<void> {
  await sql(db, endMail, [workspaceId, userId, reasons]);
}

const endMail = {
  name: 'end-mail-of-reasons',
  text: `
    UPDATE users SET notification_choices = (
      notification_choices::jsonb
      || (SELECT COALESCE(jsonb_object_agg(r.reason, 'inbox'), '{}') FROM unnest($3::text[]) r (reason)
          WHERE notification_choices ->> r.reason IS DISTINCT FROM 'off')
    )::json
    WHERE workspace_id = $1 AND id = $2`,
};
