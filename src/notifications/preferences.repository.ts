import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type WatchState } from '../entities/column-values.js';
import { type NotificationChoices } from '../entities/user.entity.js';
import { type TaskKey } from '../task-store/task-keys.js';

/** A user of a workspace, by their internal id. */
export interface Recipient {
  readonly workspaceId: number;
  readonly userId: string;
}

/** The channels that a user has chosen. */
export async function choicesOf(
  db: EntityManager,
  { workspaceId, userId }: Recipient,
): Promise<NotificationChoices> {
  const [row] = await sql<{ choices: NotificationChoices }>(db, readOwn, [workspaceId, userId]);
  return row?.choices ?? {};
}

const readOwn = {
  name: 'read-own-choices',
  text: 'SELECT notification_choices AS choices FROM users WHERE workspace_id = $1 AND id = $2',
};

/** Replaces all choices of a user. */
export async function replaceChoices(
  db: EntityManager,
  { workspaceId, userId }: Recipient,
  choices: NotificationChoices,
): Promise<void> {
  await sql(db, writeChoices, [workspaceId, userId, JSON.stringify(choices)]);
}

const writeChoices = {
  name: 'replace-choices',
  text: 'UPDATE users SET notification_choices = $3::json WHERE workspace_id = $1 AND id = $2',
};

/** Stores the time zone of a user's browser. */
export async function noteBrowser(
  db: EntityManager,
  { workspaceId, userId }: Recipient,
  timeZone: string,
): Promise<void> {
  await sql(db, noteZone, [workspaceId, userId, timeZone]);
}

const noteZone = {
  name: 'note-browser',
  text: 'UPDATE users SET time_zone = $3 WHERE workspace_id = $1 AND id = $2',
};

/** Whether a user watches a task; undefined if that is not set. */
export async function watchStateOf(
  db: EntityManager,
  { workspaceId, taskId }: TaskKey,
  userId: string,
): Promise<WatchState | undefined> {
  const [row] = await sql<{ state: WatchState }>(db, readWatch, [workspaceId, taskId, userId]);
  return row?.state;
}

const readWatch = {
  name: 'read-watch-state',
  text: 'SELECT state FROM watchers WHERE workspace_id = $1 AND task_id = $2 AND user_id = $3',
};

/** Makes a user watch an existing task, or stop watching it. */
export async function setWatchState(
  db: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  userId: string,
  state: WatchState,
): Promise<void> {
  await sql(db, writeWatch, [workspaceId, workflowId, taskId, userId, state]);
}

const writeWatch = {
  name: 'set-watch-state',
  text: `
    INSERT INTO watchers (workspace_id, workflow_id, task_id, user_id, state)
    SELECT $1, $2, t.id, $4, $5 FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $3::bigint
    ON CONFLICT (workspace_id, task_id, user_id) DO UPDATE SET state = EXCLUDED.state`,
};
