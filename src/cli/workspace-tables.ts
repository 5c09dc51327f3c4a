import { type EntityManager } from 'typeorm';

// Every table that holds rows of a workspace, in an order in which they can be deleted; a test compares the lists with
// the database. Rows of `blobs` are released, not deleted: the sweep needs them to find the bytes.

/** What is about tasks, but for `tasks` and `blobs`. */
export const aboutTasks = [
  'executions',
  'idempotency_keys',
  'comments',
  'checklist_items',
  'links',
  'unique_id_counters',
] as const;

/** The definition and the keys. */
export const aboutWorkflows = [
  'members',
  'roles',
  'actions',
  'checklist_template_items',
  'fields',
  'relationships',
  'stages',
  'workflows',
  'users',
  'definition_migrations',
  'definition_versions',
  'api_keys',
] as const;

/** How many rows of a workspace a table holds. */
export async function countRows(db: EntityManager, table: string, workspaceId: number): Promise<number> {
  const text = `SELECT count(*) FROM ${table} WHERE workspace_id = $1`;
  const [row] = await db.query<{ count: string }[]>(text, [workspaceId]);
  return Number(row?.count ?? 0);
}

/** Deletes the rows of a workspace from a table; says how many. */
export async function eraseRows(tx: EntityManager, table: string, workspaceId: number): Promise<number> {
  const text = `DELETE FROM ${table} WHERE workspace_id = $1`;
  const [, rows] = await tx.query<[unknown, number]>(text, [workspaceId]);
  return rows;
}
