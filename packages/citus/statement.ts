import type pg from 'pg';

/**
 * Whose rows a statement reads or writes. A statement without a scope names its workspace in its first value.
 * `all shards` includes rows of deleted workspaces.
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
