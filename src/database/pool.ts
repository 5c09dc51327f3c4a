import { type DataSource } from 'typeorm';
import pg from 'pg';
import { Refusal } from '../lib/errors.js';

/** The scope of a statement that is not about the rows of one workspace. */
export type StatementScope = 'all workspaces' | 'all shards' | 'no workspace';

export interface PgQuery {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly scope?: StatementScope | undefined;
}

export interface PgRows<Row> {
  readonly rows: Row[];
  readonly fields: readonly pg.FieldDef[];
}

/** The part of `pg`'s client that we use. */
export interface PgClient<Row> {
  query(query: PgQuery): Promise<PgRows<Row>>;
  query(query: pg.Query): pg.Query;
}

/** The part of `pg`'s pool that we use. */
export interface PgPool<Row> extends PgClient<Row> {
  /** The number of connections, of idle ones, and of callers that wait for one. */
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(): Promise<PgPoolClient<Row>>;
  /** Called when an idle connection breaks. */
  on(event: 'error', listener: (error: Error) => void): void;
}

/** The part of `pg`'s pooled client that we use. */
export interface PgPoolClient<Row> extends PgClient<Row> {
  on(event: 'error', listener: () => void): void;
  off(event: 'error', listener: () => void): void;
  release(isBroken: boolean): void;
}

/** TypeORM's pool. */
export function poolOf<Row>(dataSource: DataSource): PgPool<Row> {
  return (dataSource.driver as unknown as { master: PgPool<Row> }).master;
}

/** Takes a connection from the pool. */
export async function take<Row>(pool: PgPool<Row>): Promise<PgPoolClient<Row>> {
  const client = await pool.connect();
  // A connection that breaks rejects its statements, and emits this event as well.
  client.on('error', ignore);
  return client;
}

/** Gives a connection back to the pool, or closes it. */
export function giveBack(client: PgPoolClient<unknown>, isBroken: boolean): void {
  client.off('error', ignore);
  client.release(isBroken);
}

const ignore = (): void => undefined;

/** Whether the statement never began, or PostgreSQL rejected it; either way the connection can still be used. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof Refusal || (error instanceof Error && Reflect.get(error, 'severity') === 'ERROR');
}

/**
 * Stores the id of the PostgreSQL process that serves a connection. With PgBouncer, the id that `pg` received on
 * connecting is PgBouncer's own.
 */
export function noteBackend(client: object, pid: number | undefined): void {
  if (pid !== undefined) backends.set(client, pid);
}

const backends = new WeakMap<object, number>();

/** The address of the database. */
export function databaseUrl({ options }: DataSource): string {
  return options.type === 'postgres' ? (options.url ?? '') : '';
}

interface Cancelled {
  readonly pids: (number | undefined)[];
  readonly done: Promise<void>;
}

/** Cancels statements over a connection of its own; many cancellations go out as one query. */
export class Canceller {
  private next: Cancelled | undefined;
  private current: Promise<void> = Promise.resolve();

  constructor(private readonly url: string) {}

  /** Cancels the statement that this connection is running; resolves when PostgreSQL was told, or cannot be reached. */
  async cancel(client: object): Promise<void> {
    this.next ??= this.begin([]);
    this.next.pids.push(backends.get(client));
    await this.next.done;
  }

  private begin(pids: Cancelled['pids']): Cancelled {
    const done = this.current.then(async () => {
      this.next = undefined;
      await cancelBackends(this.url, pids).catch(() => undefined);
    });
    this.current = done;
    return { pids, done };
  }
}

async function cancelBackends(connectionString: string, pids: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_cancel_backend(pid) FROM unnest($1::integer[]) pid', [pids]);
  } finally {
    await client.end().catch(() => undefined);
  }
}
