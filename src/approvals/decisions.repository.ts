import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { type ApprovalEntity } from '../actions/requirements/approvals/approval.entity.js';
import { type TaskKey } from '../tasks/store/task-keys.js';

/** An action of a task, on which users decide. */
export interface DecisionPlace extends TaskKey {
  readonly actionId: string;
}

/** A decision to be stored. */
export type NewDecision = Readonly<
  Pick<ApprovalEntity, 'groupId' | 'byId' | 'forId' | 'decision' | 'comment' | 'via' | 'expiresAt'>
> & { readonly covers: readonly string[] };

/** Stores a decision, and replaces earlier ones in its group by the same user or for the same person. */
export async function addDecision(
  tx: EntityManager,
  place: DecisionPlace,
  { groupId, byId, forId, decision, comment, via, covers, expiresAt }: NewDecision,
): Promise<string> {
  const of = [place.workspaceId, place.workflowId, place.taskId, place.actionId];
  await sql(tx, replace, [...of, groupId, byId, forId ?? byId]);
  const values = [...of, groupId, byId, forId, decision, comment, via, covers, expiresAt];
  const [row] = await sql<{ id: string }>(tx, insert, values);
  if (!row) throw new Error('a decision was not stored');
  return row.id;
}

const ofAction =
  'a.workspace_id = $1 AND a.workflow_id = $2 AND a.task_id = $3 AND a.action_id = $4 AND NOT a.is_past';

const replace = {
  name: 'replace-decision',
  text: `
    UPDATE approvals a SET state = 'replaced'
    WHERE ${ofAction} AND a.group_id IS NOT DISTINCT FROM $5
      AND (a.by_id = $6 OR COALESCE(a.for_id, a.by_id) = $7) AND a.state IN ('live', 'stale', 'expired', 'withdrawn')`,
};

const insert = {
  name: 'add-decision',
  text: `
    INSERT INTO approvals (workspace_id, workflow_id, task_id, action_id, group_id, by_id, for_id, decision, comment, via,
      covers, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id::text`,
};

/** Withdraws a decision. */
export async function withdrawDecision(tx: EntityManager, workspaceId: number, id: string): Promise<void> {
  await sql(tx, withdraw, [workspaceId, id]);
}

const withdraw = {
  name: 'withdraw-decision',
  text: `UPDATE approvals SET state = 'withdrawn', marked_at = service_now() WHERE workspace_id = $1 AND id = $2`,
};

/** Stores what a decision was reported to achieve; returns what was reported before in this state. */
export async function noteTold(
  tx: EntityManager,
  place: DecisionPlace,
  id: string,
  told: readonly string[],
): Promise<ReadonlySet<string>> {
  const values = [place.workspaceId, place.workflowId, place.taskId, place.actionId];
  const rows = await sql<{ told: string }>(tx, readTold, values);
  await sql(tx, note, [place.workspaceId, id, told]);
  return new Set(rows.map((row) => row.told));
}

const readTold = {
  name: 'read-told',
  text: `SELECT DISTINCT unnest(a.tells) AS told FROM approvals a WHERE ${ofAction}`,
};

const note = {
  name: 'note-told',
  text: 'UPDATE approvals SET tells = tells || $3::text[] WHERE workspace_id = $1 AND id = $2',
};
