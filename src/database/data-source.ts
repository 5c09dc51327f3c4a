import pg from 'pg';
import { type MigrationInterface, DefaultNamingStrategy } from 'typeorm';
import { readdir } from 'node:fs/promises';
import { entities } from '../entities/entities.js';
import { noteBackend } from './pool.js';
import { beginSpread } from './spread.js';
import { SharedDataSource } from './shared-data-source.js';

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Whether statements may take as long as they like: for migrations. */
  readonly isUnlimited?: boolean;
  /** Whether it is one that nothing can be written to. */
  readonly isReadOnly?: boolean;
  /** Milliseconds that a statement may take, 30 s unless told otherwise; 0 sets no limit. */
  readonly statementMs?: number;
  /** Milliseconds for which a transaction may wait for us, 10 s unless told otherwise; 0 sets no limit. */
  readonly idleTransactionMs?: number;
  /** Told of a connection that broke while nobody used it. */
  readonly onIdleError: (error: unknown) => void;
}

/** The connection pool and the migrations, not yet connected. */
export async function createDataSource({
  url,
  poolSize,
  isUnlimited = false,
  isReadOnly = false,
  statementMs = 30_000,
  idleTransactionMs = 10_000,
  onIdleError,
}: DatabaseOptions): Promise<SharedDataSource> {
  return new SharedDataSource({
    type: 'postgres',
    // The one that `prepared.ts` adds to.
    driver: pg,
    url,
    poolSize,
    entities: isReadOnly ? [] : entities,
    namingStrategy: new SnakeCase(),
    migrations: isReadOnly ? [] : await loadMigrations(),
    migrationsTableName: 'migrations',
    applicationName: 'workflow-task-service',
    poolErrorHandler: onIdleError,
    extra: {
      onConnect: beginSessions({
        ...(isUnlimited ? commonSettings : sessionSettings(statementMs, idleTransactionMs)),
        ...(isReadOnly && { default_transaction_read_only: 'on' }),
      }),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      // A connection sends what it is given at once, not only when it has been answered.
      pipeline: true,
    },
  });
}

type SessionSettings = Readonly<Record<string, string | number>>;

const commonSettings: SessionSettings = { TimeZone: 'UTC', jit: 'off' };
/** What a workflow's tasks are found by is always an index; to start parallel workers takes longer than most reads. */
const planning = { enable_seqscan: 'off', max_parallel_workers_per_gather: 0 };
/**
 * What PostgreSQL gives up, so that its locks are free for others: the transaction of a process that was stopped, or does
 * not even read the answer, and the connection of a machine that went away.
 */
const abandoned = (ms: number): SessionSettings => ({
  idle_in_transaction_session_timeout: ms,
  tcp_user_timeout: ms,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
});
/** A lock is waited for 5 s, a statement may take so long: what is longer is answered with 503. */
export const sessionSettings = (statementMs: number, idleTransactionMs = 10_000): SessionSettings => ({
  lock_timeout: '5s',
  statement_timeout: statementMs,
  ...abandoned(idleTransactionMs),
  ...planning,
  ...commonSettings,
});

/** Gives each new connection its settings: by a statement, since PgBouncer refuses `options` of a connection. */
function beginSessions(settings: SessionSettings) {
  const values = [Object.keys(settings), Object.values(settings).map(String)];
  const query = { text: beginSession, values, query_timeout: CONNECT_TIMEOUT_MS };
  return async (client: pg.Client): Promise<void> => {
    const { rows } = await client.query<{ pid: number; isSpread: boolean }>(query);
    noteBackend(client, rows[0]?.pid);
    if (rows[0]?.isSpread === true) await beginSpread(client);
  };
}

const beginSession = `
  SELECT pg_backend_pid() AS pid, to_regproc('delegation.run') IS NOT NULL AS "isSpread", set_config(name, value, false)
  FROM unnest($1::text[], $2::text[]) AS settings(name, value)`;

const CONNECT_TIMEOUT_MS = 10_000;

type Migration = new () => MigrationInterface;

/** The classes of every file in migrations/, ours and the admins' own. */
async function loadMigrations(): Promise<Migration[]> {
  const folder = new URL('../../migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => /^\d{13}-.*(?<!\.d)\.(js|ts)$/.test(name)).sort();
  const modules = files.map(
    async (file) => (await import(new URL(file, folder).href)) as Record<string, Migration>,
  );
  return (await Promise.all(modules)).flatMap((module) => Object.values(module));
}

/** Names columns in snake case, as hand-written SQL does. */
class SnakeCase extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined, prefixes: string[]): string {
    return [...prefixes, given ?? property]
      .join('_')
      .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
