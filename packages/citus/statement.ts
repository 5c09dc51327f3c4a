import type pg from 'pg';

/**
 * The rows that a statement reads or writes. If absent, the rows of the workspace in the statement's first
 * value. `all shards` includes rows of deleted workspaces.
 */
export type StatementScope = 'all workspaces' | 'all shards' | 'no workspace';

export interface ScopedStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly scope?: StatementScope | undefined;
}

export interface CitusClient<Row> {
  query(statement: ScopedStatement): Promise<{ readonly rows: Row[] }>;
  query(statement: pg.Query): pg.Query;
}
