import { type EntityManager } from 'typeorm';
import { Origin } from '../../common/origin.js';
import { sql } from '../../common/database/sql.js';
import { keptText } from '../../common/message.js';
import { type ExecutionKey } from '../executions.repository.js';
import { causeOfRun, type WantedRun } from './run.js';

export type WantedRuns = Omit<WantedRun, 'task' | 'eventId' | 'isCaused'> & { readonly nominal: string };

/**
 * Starts a run on each task, unless the starter already has a run with this `nominal` there, and enters the executions
 * without checking the action. The caller must have asserted the definition, limits the number of tasks, and must ring
 * for the executions after the commit.
 */
export async function startRuns(
  tx: EntityManager,
  { starter, scope, action, chain, because, nominal, given }: WantedRuns,
  taskIds: readonly string[],
): Promise<ExecutionKey[]> {
  const { workflow } = scope;
  const { workspaceId } = starter;
  const cause = causeOfRun(starter, null, chain);
  const values = [
    workspaceId,
    workflow.id,
    taskIds,
    starter.kind,
    starter.workflowId,
    starter.starterId,
    action.id,
    action.name,
    starter.performer?.id,
    workflow.version,
    JSON.stringify(action.steps),
    keptText(because),
    JSON.stringify(cause),
    new Origin({ user: starter.performer?.id, cause }).text,
    nominal,
    given ? JSON.stringify(given) : null,
  ];
  const rows = await sql<{ id: string }>(tx, start, values);
  return rows.map(({ id }) => ({ workspaceId, id }));
}

const start = {
  name: 'start-many-runs',
  text: `
    WITH wanted AS MATERIALIZED (
      SELECT t.id, t.public_id, t.unique_value, random_id() AS execution_id FROM tasks t
      WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = ANY($3::bigint[])
    ), recorded AS (
      INSERT INTO runs (workspace_id, kind, workflow_id, starter_id, action_id, task_workflow_id, task_id, public_id,
        unique_value, result, because, cause, nominal, execution_id, started_at)
      SELECT $1, $4, $5, $6, $7, $2, w.id, w.public_id, w.unique_value, 'started', $12, $13, $15, w.execution_id,
        service_now()
      FROM wanted w ORDER BY w.id
      ON CONFLICT DO NOTHING RETURNING task_id, execution_id
    )
    INSERT INTO executions
      (workspace_id, workflow_id, id, task_id, action_id, action_name, performer_id, definition, steps, origin, given)
    SELECT $1, $2, r.execution_id, r.task_id, $7, $8, $9, $10, $11, $14, $16::jsonb FROM recorded r ORDER BY r.task_id
    RETURNING id`,
};
