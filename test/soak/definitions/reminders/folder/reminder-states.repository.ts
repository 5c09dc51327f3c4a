import { type EntityManager } from 'typeorm';
import { sql } from '../../../../../src/common/database/sql.js';
import { type ReminderStateEntity } from './reminder-state.entity.js';

type Place = Pick<ReminderStateEntity, 'workspaceId' | 'workflowId'>;

export async function setReminders(
  tx: EntityManager,
  { workspaceId, workflowId }: Place,
  wanted: readonly { readonly id: string; readonly every_days: number }[],
): Promise<void> {
  await sql(tx, set, [
    workspaceId,
    workflowId,
    wanted.map(({ id }) => id),
    wanted.map((one) => one.every_days),
  ]);
}

const set = {
  name: 'set-reminders',
  text: `
    WITH gone AS (
      DELETE FROM reminder_states WHERE workspace_id = $1 AND workflow_id = $2 AND reminder_id <> ALL ($3::text[])
    )
    INSERT INTO reminder_states (workspace_id, workflow_id, reminder_id, every_days, due_at)
    SELECT $1, $2, w.id, w.days, service_now() + make_interval(days => w.days) FROM unnest($3::text[], $4::integer[]) w (id, days)
    ON CONFLICT (workspace_id, workflow_id, reminder_id) DO UPDATE SET every_days = EXCLUDED.every_days`,
};

export async function remindersOf(db: EntityManager, { workspaceId, workflowId }: Place) {
  const rows = await sql<Pick<ReminderStateEntity, 'reminderId' | 'dueAt' | 'fired'>>(db, read, [
    workspaceId,
    workflowId,
  ]);
  return new Map(rows.map((row) => [row.reminderId, row]));
}

const read = {
  name: 'read-reminders',
  text: `SELECT reminder_id AS "reminderId", due_at AS "dueAt", fired FROM reminder_states WHERE workspace_id = $1 AND workflow_id = $2`,
};

export async function skipReminder(
  tx: EntityManager,
  { workspaceId, workflowId }: Place,
  id: string,
): Promise<void> {
  await sql(tx, skip, [workspaceId, workflowId, id]);
}

const skip = {
  name: 'skip-reminder',
  text: `UPDATE reminder_states SET due_at = due_at + make_interval(days => every_days)
    WHERE workspace_id = $1 AND workflow_id = $2 AND reminder_id = $3`,
};

export const fireReminders = {
  name: 'fire-reminders',
  scope: 'all workspaces' as const,
  text: `UPDATE reminder_states SET fired = fired + 1, due_at = service_now() + make_interval(days => every_days)
    WHERE due_at <= service_now()`,
};
