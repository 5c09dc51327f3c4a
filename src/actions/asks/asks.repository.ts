import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../../common/database/leftovers.js';
import { sql } from '../../common/database/sql.js';
import { hashOfToken, workspaceOfToken } from '../../access/sessions.js';
import { type AskEntity } from './ask.entity.js';

export interface NewAsk extends Readonly<
  Pick<AskEntity, 'workspaceId' | 'workflowId' | 'taskId' | 'title' | 'actionId' | 'recipient' | 'fields'>
> {
  readonly token: string;
  readonly days: number;
}

export type Ask = Readonly<AskEntity>;

export async function enterAsk(
  tx: EntityManager,
  { workspaceId, workflowId, taskId, title, actionId, recipient, fields, token, days }: NewAsk,
): Promise<Date> {
  const about = [workflowId, taskId, title, actionId, recipient, JSON.stringify(fields), days];
  const [row] = await sql<{ expiresAt: Date }>(tx, enter, [workspaceId, hashOfToken(token), ...about]);
  if (!row) throw new Error('a form for a task was not entered');
  return row.expiresAt;
}

const enter = {
  name: 'enter-ask',
  text: `
    INSERT INTO asks (workspace_id, hash, workflow_id, task_id, title, action_id, recipient, fields, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, service_now() + make_interval(days => $9))
    RETURNING expires_at AS "expiresAt"`,
};

/** The form with this token; undefined if there is none, or it was used or has expired. */
export async function findAsk(db: EntityManager, token: string): Promise<Ask | undefined> {
  const workspaceId = workspaceOfToken(token);
  if (workspaceId === undefined) return undefined;
  const [ask] = await sql<Ask>(db, find, [workspaceId, hashOfToken(token)]);
  return ask;
}

const find = {
  name: 'find-ask',
  text: `
    SELECT workspace_id AS "workspaceId", hash, workflow_id AS "workflowId", task_id AS "taskId", title,
      action_id AS "actionId", recipient, fields, expires_at AS "expiresAt"
    FROM asks WHERE workspace_id = $1 AND hash = $2 AND expires_at > service_now()`,
};

/** Marks a form as used; false if it was used before, or has expired. */
export async function useAsk(
  tx: EntityManager,
  { workspaceId, hash }: Pick<Ask, 'workspaceId' | 'hash'>,
): Promise<boolean> {
  return (await sql(tx, use, [workspaceId, hash])).length > 0;
}

const use = {
  name: 'use-ask',
  text: 'DELETE FROM asks WHERE workspace_id = $1 AND hash = $2 AND expires_at > service_now() RETURNING hash',
};

export const oldAsks: Leftovers = {
  table: 'asks',
  key: 'hash',
  isOver: 'expires_at < service_now()',
  most: 500,
};
