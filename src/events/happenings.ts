import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { behindCursor } from './events.repository.js';

export interface Happening {
  readonly position: number;
  /** Null if the event is no longer stored. Then `workflowId` and `publicId` are null, too. */
  readonly type: string | null;
  readonly workflowId: number | null;
  /** The id of the task in its `Task URL`. */
  readonly publicId: string | null;
  /** The assignees before and after a change of the assignee, and the current assignee. */
  readonly assignees: readonly string[];
}

/** The next events after a position, in order and without values. */
export async function readHappenings(
  db: EntityManager,
  workspaceId: number,
  after: number,
  limit: number,
): Promise<Happening[]> {
  return sql<Happening>(db, read, [workspaceId, after, limit]);
}

const read = {
  name: 'read-happenings',
  text: `
    SELECT p.position::float8 AS position, e.type, e.workflow_id AS "workflowId", e.public_id AS "publicId",
      array_remove(ARRAY[e.assignee_from, e.assignee_to, t.assignee_id], NULL) AS assignees
    FROM (${behindCursor}) p
    LEFT JOIN LATERAL (
      SELECT * FROM events e WHERE e.workspace_id = $1 AND e.place = p.event LIMIT 1
    ) e ON true
    LEFT JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.task_id
    ORDER BY p.position`,
};
