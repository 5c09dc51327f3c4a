import type pg from 'pg';
import { type MigrationInterface, DefaultNamingStrategy, type DataSource } from 'typeorm';
import { readdir } from 'node:fs/promises';
import { delegate } from '../../../packages/citus/delegation.js';
import { SharedDataSource } from './shared-data-source.js';

export type Entities = readonly (new () => object)[];

export interface DatabaseOptions {
  readonly url: string;
  readonly entities: Entities;
  readonly poolSize: number;
  /** Whether statements, waits for locks and idle transactions have no time limit. Migrations need this. */
  readonly isUnlimited?: boolean;
  /** The time limit of a statement in milliseconds; 0 means no limit. Default: 30,000. */
  readonly statementMs?: number;
  /** The most milliseconds that a transaction may be idle; 0 means no limit. Default: 10,000. */
  readonly idleTransactionMs?: number;
  /** Called when an idle connection breaks. */
  readonly onIdleError: (error: unknown) => void;
}

/** Creates the connection pool and loads the migrations, without connecting. */
export async function createDataSource({
  url,
  entities,
  poolSize,
  isUnlimited = false,
  statementMs = 30_000,
  idleTransactionMs = 10_000,
  onIdleError,
}: DatabaseOptions): Promise<SharedDataSource> {
  return new SharedDataSource({
    type: 'postgres',
    url,
    poolSize,
    entities: [...entities],
    namingStrategy: new SnakeCase(),
    migrations: await loadMigrations(),
    migrationsTableName: 'migrations',
    applicationName: 'workflow-task-service',
    poolErrorHandler: onIdleError,
    extra: {
      onConnect: beginSessions(
        isUnlimited ? commonSettings : sessionSettings(statementMs, idleTransactionMs),
      ),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      // Sends a statement at once, without waiting for the answer to the previous one.
      pipeline: true,
    },
  });
}

type SessionSettings = Readonly<Record<string, string | number>>;

const commonSettings: SessionSettings = { TimeZone: 'UTC', jit: 'off' };
/** Avoids sequential scans, which no query for tasks needs, and parallel workers, which start too slowly. */
const planning = { enable_seqscan: 'off', max_parallel_workers_per_gather: 0 };
/**
 * Settings with which PostgreSQL drops a dead client and so frees the client's locks. A client is dead if its
 * process stopped during a transaction or reads no results, or if its machine is gone.
 */
const abandoned = (ms: number): SessionSettings => ({
  idle_in_transaction_session_timeout: ms,
  tcp_user_timeout: ms,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
});
/** A statement that waits for a lock for more than 5 s, or exceeds its time limit, leads to a 503. */
export const sessionSettings = (statementMs: number, idleTransactionMs = 10_000): SessionSettings => ({
  lock_timeout: '5s',
  statement_timeout: statementMs,
  ...abandoned(idleTransactionMs),
  ...planning,
  ...commonSettings,
});

/** Applies the settings by a statement, because PgBouncer rejects the startup parameter `options`. */
function beginSessions(settings: SessionSettings) {
  const values = [Object.keys(settings), Object.values(settings).map(String)];
  const query = { text: beginSession, values, query_timeout: CONNECT_TIMEOUT_MS };
  return async (client: pg.Client): Promise<void> => {
    // The statements of a broken connection fail, so the event `error` needs no handling.
    client.on('error', () => undefined);
    const { rows } = await client.query<{ isSpread: boolean }>(query);
    if (rows[0]?.isSpread === true) await delegate(client);
  };
}

const beginSession = `
  SELECT to_regproc('delegation.run') IS NOT NULL AS "isSpread", set_config(name, value, false)
  FROM unnest($1::text[], $2::text[]) AS settings(name, value)`;

const CONNECT_TIMEOUT_MS = 10_000;

type Migration = new () => MigrationInterface;

/** The migration classes in migrations/, including those that admins added. */
async function loadMigrations(): Promise<Migration[]> {
  const folder = new URL('../../../migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => /^\d{13}-.*(?<!\.d)\.(js|ts)$/.test(name)).sort();
  const modules = files.map(
    async (file) => (await import(new URL(file, folder).href)) as Record<string, Migration>,
  );
  return (await Promise.all(modules)).flatMap((module) => Object.values(module));
}

/** Names columns in snake case, as hand-written SQL does. */
class SnakeCase extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined, prefixes: string[]): string {
    return snakeCase([...prefixes, given ?? property].join('_'));
  }
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function poolOf({ driver }: DataSource): pg.Pool {
  return (driver as unknown as { readonly master: pg.Pool }).master;
}

export function databaseUrl({ options }: DataSource): string {
  return options.type === 'postgres' ? (options.url ?? '') : '';
}

/** Whether PostgreSQL rejected only the statement. The connection can then still be used. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'severity') === 'ERROR';
}
