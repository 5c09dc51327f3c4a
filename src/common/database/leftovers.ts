import { type EntityManager } from 'typeorm';
import { doEach } from '../each.js';
import { sql } from './sql.js';

/** A table whose old rows are deleted. */
export interface Leftovers {
  readonly table: string;
  /** The columns of the primary key after `workspace_id`. */
  readonly key: string;
  /** SQL: the condition for deleting a row. */
  readonly isOver: string;
  /** The most rows that one statement deletes. */
  readonly most: number;
}

/** Deletes the old rows of these tables in all workspaces. */
export async function dropLeftovers(db: EntityManager, all: readonly Leftovers[]): Promise<void> {
  await doEach(all, async (leftovers) => {
    while ((await dropSome(db, leftovers)) > 0);
  });
}

/** Deletes some old rows of one table, and returns their number. */
async function dropSome(db: EntityManager, { table, key, isOver, most }: Leftovers): Promise<number> {
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
