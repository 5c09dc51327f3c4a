import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { plainColumns, type TaskRow } from '../tasks/store/task-row.js';
import { type Sight } from '../workflows/model/roles.js';
import { wasCancelled } from './executions.repository.js';

/** A task on which an action of the user failed, with no later action there. */
export interface OwnFailure extends TaskRow {
  readonly workflowId: number;
  readonly actionId: string;
  readonly finishedAt: Date;
  /** The reasons: messages as `keptText` writes them. */
  readonly errors: readonly string[] | null;
}

/** Recent failures of executions that a user started, on tasks they see, newest first; not cancelled ones. */
export async function ownFailures(
  db: EntityManager,
  { workspaceId, userId, sight }: FailureOwner,
  limit: number,
): Promise<OwnFailure[]> {
  return sql(db, failures, [workspaceId, userId, sight.whole, sight.assigned, limit]);
}

/** The user, and the tasks that they see. */
interface FailureOwner {
  readonly workspaceId: number;
  readonly userId: string;
  readonly sight: Sight;
}

// Only the Unique ID is read if the values are large.
const failures = {
  name: 'own-failures',
  text: `
    SELECT e.workflow_id AS "workflowId", e.action_id AS "actionId", e.finished_at AS "finishedAt", e.errors, ${plainColumns},
      CASE WHEN pg_column_size(t.field_values) <= 16384 THEN t.field_values ELSE '{}' END AS "fieldValues"
    FROM (
      SELECT * FROM executions e
      WHERE e.workspace_id = $1 AND e.performer_id = $2 AND e.status = 'Fail'
      ORDER BY e.place DESC LIMIT 500
    ) e
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.task_id
    WHERE NOT ${wasCancelled} AND e.origin::json -> 'cause' IS NULL
      AND (e.workflow_id = ANY($3::integer[]) OR (e.workflow_id = ANY($4::integer[]) AND t.assignee_id = $2))
      AND NOT EXISTS (
        SELECT FROM executions o
        WHERE o.workspace_id = $1 AND o.workflow_id = e.workflow_id AND o.task_id = e.task_id AND o.place > e.place
      )
    ORDER BY e.place DESC LIMIT $5::integer`,
};
