import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';

/** What lists cost that were sorted by one field without an index. */
export interface SortCost {
  readonly workflowId: number;
  readonly fieldId: string;
  /** How many lists. */
  readonly lists: number;
  /** For all of them. */
  readonly seconds: number;
}

/** Adds to what is kept of this day, and forgets what is older than a week; a workspace may be gone by now. */
export async function addSortCosts(
  db: EntityManager,
  costs: readonly (SortCost & { readonly workspaceId: number })[],
): Promise<void> {
  for (const id of new Set(costs.map(({ workspaceId }) => workspaceId)))
    await sql(db, add, [id, JSON.stringify(costs.filter(({ workspaceId }) => workspaceId === id))]);
  await sql(db, forget, []);
}

// In one order for all who do this at the same time.
const add = {
  text: `
    INSERT INTO sort_costs AS c (workspace_id, workflow_id, field_id, lists, seconds)
    SELECT w.id, s."workflowId", s."fieldId", s.lists, s.seconds
    FROM json_to_recordset($2::json) s ("workflowId" integer, "fieldId" text, lists integer, seconds double precision)
    JOIN workspaces w ON w.id = $1
    ORDER BY 1, 2, 3
    ON CONFLICT (workspace_id, workflow_id, field_id, day)
    DO UPDATE SET lists = c.lists + EXCLUDED.lists, seconds = c.seconds + EXCLUDED.seconds`,
};

const forget = {
  scope: 'all workspaces' as const,
  text: 'DELETE FROM sort_costs WHERE day < CURRENT_DATE - 7',
};

/** What the lists of a workspace cost within a week, field by field. */
export async function sortCostsOf(db: EntityManager, workspaceId: number): Promise<readonly SortCost[]> {
  return sql<SortCost>(db, sum, [workspaceId]);
}

const sum = {
  text: `
    SELECT workflow_id AS "workflowId", field_id AS "fieldId", sum(lists)::float8 AS lists, sum(seconds) AS seconds
    FROM sort_costs WHERE workspace_id = $1 AND day >= CURRENT_DATE - 7
    GROUP BY 1, 2 ORDER BY 1, 2`,
};
