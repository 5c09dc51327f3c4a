import { type EntityManager } from 'typeorm';
import { hashOfToken, newSecretToken, type UserKey, workspaceOfToken } from '../../access/sessions.js';
import { sql } from '../../common/database/sql.js';
import { taskColumns, type TaskRow } from '../../tasks/store/task-row.js';

/** Gives a user a new address in place of the former one; returns the token at its end. */
export async function replaceFeed(db: EntityManager, { workspaceId, userId }: UserKey): Promise<string> {
  const token = newSecretToken(workspaceId);
  await sql(db, replace, [workspaceId, userId, hashOfToken(token)]);
  return token;
}

const replace = {
  name: 'replace-calendar-feed',
  text: `
    INSERT INTO calendar_feeds (workspace_id, user_id, hash) VALUES ($1, $2, $3)
    ON CONFLICT (workspace_id, user_id) DO UPDATE SET hash = EXCLUDED.hash, created_at = service_now()`,
};

export async function removeFeed(db: EntityManager, { workspaceId, userId }: UserKey): Promise<void> {
  await sql(db, remove, [workspaceId, userId]);
}

const remove = {
  name: 'remove-calendar-feed',
  text: 'DELETE FROM calendar_feeds WHERE workspace_id = $1 AND user_id = $2',
};

/** Since when a user has an address; undefined if they have none. */
export async function feedSince(
  db: EntityManager,
  { workspaceId, userId }: UserKey,
): Promise<Date | undefined> {
  const [row] = await sql<{ createdAt: Date }>(db, look, [workspaceId, userId]);
  return row?.createdAt;
}

const look = {
  name: 'look-for-calendar-feed',
  text: 'SELECT created_at AS "createdAt" FROM calendar_feeds WHERE workspace_id = $1 AND user_id = $2',
};

/** The user whose calendar has this address; undefined if none has. */
export async function userOfFeed(db: EntityManager, token: string): Promise<UserKey | undefined> {
  const workspaceId = workspaceOfToken(token);
  if (workspaceId === undefined) return undefined;
  const [row] = await sql<UserKey>(db, find, [workspaceId, hashOfToken(token)]);
  return row;
}

const find = {
  name: 'find-calendar-feed',
  text: `
    SELECT workspace_id AS "workspaceId", user_id AS "userId" FROM calendar_feeds
    WHERE workspace_id = $1 AND hash = $2`,
};

export type DatedTask = TaskRow & { readonly workflowId: number; readonly dueAt: Date | null };

/** The open tasks of a user in these workflows, in the order of their due times. */
export async function datedTasks(
  db: EntityManager,
  { workspaceId, userId }: UserKey,
  workflowIds: readonly number[],
): Promise<DatedTask[]> {
  return sql<DatedTask>(db, dated, [workspaceId, userId, workflowIds]);
}

const MAX_TASKS = 500;

const dated = {
  name: 'dated-tasks',
  text: `
    SELECT t.* FROM unnest($3::integer[]) w (id) CROSS JOIN LATERAL (
      SELECT ${taskColumns.replace(/t\.field_values AS/, "CASE WHEN pg_column_size(t.field_values) <= 16384 THEN t.field_values ELSE '{}' END AS")},
        t.workflow_id AS "workflowId", t.due_at AS "dueAt"
      FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = w.id AND t.is_active AND t.assignee_id = $2
      ORDER BY t.due_at NULLS LAST, t.id LIMIT ${MAX_TASKS}
    ) t ORDER BY t."dueAt" NULLS LAST, t.id LIMIT ${MAX_TASKS}`,
};
