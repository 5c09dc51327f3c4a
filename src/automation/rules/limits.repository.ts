import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Starter } from '../../executions/runs/run.js';
import { type Rate } from './rule-definition.js';

/** Whether the rule's runs on a task that other rules caused have reached the limit per task. */
export async function isOverTaskLimit(
  tx: EntityManager,
  { workspaceId, workflowId, starterId }: Starter,
  taskId: string,
  { count, seconds }: Rate,
): Promise<boolean> {
  const values = [workspaceId, workflowId, starterId, taskId, count, seconds];
  const [row] = await sql<{ isOver: boolean }>(tx, overTask, values);
  return row?.isOver === true;
}

const overTask = {
  name: 'is-over-task-limit',
  text: `
    SELECT count(*) >= $5 AS "isOver" FROM (
      SELECT FROM runs r
      WHERE r.workspace_id = $1 AND r.task_id = $4 AND r.kind = 'rule' AND r.workflow_id = $2 AND r.starter_id = $3
        AND r.is_caused AND r.started_at > service_now(statement_timestamp()) - make_interval(secs => $6)
      LIMIT $5
    ) r`,
};

/** Whether a run of a rule has to wait, because other runs wait already or the rule has reached its limit. */
export async function mustWait(
  tx: EntityManager,
  { workspaceId, workflowId, starterId }: Starter,
  { count, seconds }: Rate,
): Promise<boolean> {
  const [row] = await sql<{ waits: boolean }>(tx, waits, [
    workspaceId,
    workflowId,
    starterId,
    count,
    seconds,
  ]);
  return row?.waits === true;
}

/** SQL: whether a rule ($1, $2 and $3) has started $4 runs within $5 seconds. */
export const isUsedUp = `(
      SELECT count(*) >= $4 FROM (
        SELECT FROM runs r
        WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND r.kind = 'rule' AND r.starter_id = $3
          AND r.started_at > service_now(statement_timestamp()) - make_interval(secs => $5)
        LIMIT $4
      ) r
    )`;

const waits = {
  name: 'must-run-wait',
  text: `
    SELECT EXISTS (
      SELECT FROM runs r
      WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND r.starter_id = $3 AND r.result = 'waiting'
    ) OR ${isUsedUp} AS waits`,
};
