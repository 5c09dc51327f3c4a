import { type EntityManager } from 'typeorm';
import { sql } from './sql.js';

/** Rows of a table that nobody needs any more, some time after their end. */
export interface Leftovers {
  readonly table: string;
  /** The columns of its primary key behind the workspace's. */
  readonly key: string;
  /** SQL: which rows. */
  readonly isOver: string;
  /** How many are dropped by one statement. */
  readonly most: number;
}

/** Drops some leftovers of all workspaces; says how many. */
export async function dropSome(db: EntityManager, { table, key, isOver, most }: Leftovers): Promise<number> {
  const name = `drop-some-${table}`;
  const text = `
    WITH dropped AS (
      DELETE FROM ${table} WHERE (workspace_id, ${key}) IN (
        SELECT workspace_id, ${key} FROM ${table} WHERE ${isOver} LIMIT ${most}
      ) RETURNING workspace_id
    )
    SELECT count(*)::integer AS dropped FROM dropped`;
  const rows = await sql<{ dropped: number }>(db, { name, scope: 'all workspaces', text }, []);
  return rows.reduce((sum, { dropped }) => sum + dropped, 0);
}
