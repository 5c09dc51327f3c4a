import { type DataSource } from 'typeorm';

/** What we use of a connection of `pg`. */
export interface PgClient<Row> {
  query(query: {
    readonly name?: string;
    readonly text: string;
    readonly values: readonly unknown[];
  }): Promise<{ rows: Row[] }>;
}

/** What we use of the pool of `pg`. */
export interface PgPool<Row> extends PgClient<Row> {
  /** Connections that there are, those of them that nobody uses, and who waits for one. */
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(): Promise<PgPoolClient<Row>>;
}

/** What we use of a connection that was taken from it. */
export interface PgPoolClient<Row> extends PgClient<Row> {
  on(event: 'error', listener: () => void): void;
  off(event: 'error', listener: () => void): void;
  release(isBroken: boolean): void;
}

/** The pool behind TypeORM. */
export function poolOf<Row>(dataSource: DataSource): PgPool<Row> {
  return (dataSource.driver as unknown as { master: PgPool<Row> }).master;
}

/** The address of the database. */
export function databaseUrl({ options }: DataSource): string {
  return options.type === 'postgres' ? (options.url ?? '') : '';
}
