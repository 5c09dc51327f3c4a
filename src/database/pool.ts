import { type DataSource } from 'typeorm';
import pg from 'pg';
import { Refusal } from '../lib/errors.js';

/** Whose rows a statement is about, where it is not one workspace's. */
export type StatementScope = 'all workspaces' | 'all shards' | 'no workspace';

export interface PgQuery {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly isAwaited?: boolean | undefined;
  readonly scope?: StatementScope | undefined;
}

/** One whose time is told. */
export interface TimedQuery extends PgQuery {
  /** When its connection was given it, by `performance.now()`; 0 before. */
  sentAt: number;
}

export interface PgRows<Row> {
  readonly rows: Row[];
  readonly fields: readonly pg.FieldDef[];
}

/** What we use of a connection of `pg`. */
export interface PgClient<Row> {
  query(query: PgQuery): Promise<PgRows<Row>>;
  query(query: pg.Query): pg.Query;
}

/** Bytes that this connection has brought so far. */
export function bytesRead(client: object): number {
  const { stream } = Reflect.get(client, 'connection') as { stream: { readonly bytesRead: number } };
  return stream.bytesRead;
}

/** What we use of the pool of `pg`. */
export interface PgPool<Row> extends PgClient<Row> {
  /** Connections that there are, those of them that nobody uses, and who waits for one. */
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(): Promise<PgPoolClient<Row>>;
  /** Told of a connection that broke while nobody used it. */
  on(event: 'error', listener: (error: Error) => void): void;
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

/** Takes a connection from the pool. */
export async function take<Row>(pool: PgPool<Row>): Promise<PgPoolClient<Row>> {
  const client = await pool.connect();
  // A connection that breaks reports that twice: by its statements, too.
  client.on('error', ignore);
  return client;
}

/** Gives a connection back to the pool, or closes it. */
export function giveBack(client: PgPoolClient<unknown>, isBroken: boolean): void {
  client.off('error', ignore);
  client.release(isBroken);
}

const ignore = (): void => undefined;

/** Whether the statement was not begun, or PostgreSQL refused it; the connection is as good as before. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof Refusal || (error instanceof Error && Reflect.get(error, 'severity') === 'ERROR');
}

/**
 * Notes which process of PostgreSQL works for a connection. What the connection was told as it began is PgBouncer's own
 * number where that stands between.
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

/** Ends the statements of connections, on one connection of its own: of many at once, all by one question. */
export class Canceller {
  private next: Cancelled | undefined;
  private current: Promise<void> = Promise.resolve();

  constructor(private readonly url: string) {}

  /** Has PostgreSQL give up what this connection is doing; ends when it has been told, or cannot be. */
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
