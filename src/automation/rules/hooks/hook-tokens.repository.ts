import { randomBytes } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { type RuleStateEntity } from '../rule-state.entity.js';
import { type Workflow } from '../../../workflows/model/workspace.js';

/** Names a rule of a workspace. */
export type RuleKey = Readonly<Pick<RuleStateEntity, 'workspaceId' | 'workflowId' | 'ruleId'>>;

type WorkflowKey = Pick<Workflow, 'workspaceId' | 'id'>;

/** The token of a rule, created on first use; undefined if the rule does not exist. */
export async function hookTokenOf(
  db: EntityManager,
  { workspaceId, id }: WorkflowKey,
  ruleId: string,
): Promise<string | undefined> {
  const [row] = await sql<{ token: string }>(db, readToken, [workspaceId, id, ruleId, newToken()]);
  return row?.token;
}

const readToken = {
  name: 'read-hook-token',
  text: `
    UPDATE rule_states SET hook_token = COALESCE(hook_token, $4)
    WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id = $3 RETURNING hook_token AS token`,
};

/** Replaces the token of a rule; undefined if the rule does not exist. */
export async function rotateHookToken(
  db: EntityManager,
  { workspaceId, id }: WorkflowKey,
  ruleId: string,
): Promise<string | undefined> {
  const [row] = await sql<{ token: string }>(db, rotate, [workspaceId, id, ruleId, newToken()]);
  return row?.token;
}

const rotate = {
  name: 'rotate-hook-token',
  text: `
    UPDATE rule_states SET hook_token = $4
    WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id = $3 RETURNING hook_token AS token`,
};

export async function ruleOfToken(db: EntityManager, token: string): Promise<RuleKey | undefined> {
  if (!shape.test(token)) return undefined;
  const [rule] = await sql<RuleKey>(db, find, [token]);
  return rule;
}

const find = {
  name: 'find-hook',
  scope: 'all workspaces' as const,
  text: `
    SELECT workspace_id AS "workspaceId", workflow_id AS "workflowId", rule_id AS "ruleId" FROM rule_states
    WHERE hook_token = $1`,
};

const newToken = (): string => randomBytes(16).toString('base64url');
const shape = /^[\w-]{22}$/;
