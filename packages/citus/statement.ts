import type pg from 'pg';

/**
 * Whose rows a statement is about, unless it is the workspace that its first value names. Shards have rows of workspaces
 * that are gone, too.
 */
export type StatementScope = 'all workspaces' | 'all shards' | 'no workspace';

/** A statement, as `pg` takes one. */
export interface ScopedStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly scope?: StatementScope | undefined;
}

/** What is used of a connection of `pg`. */
export interface CitusClient<Row> {
  query(statement: ScopedStatement): Promise<{ readonly rows: Row[] }>;
  query(statement: pg.Query): pg.Query;
}
