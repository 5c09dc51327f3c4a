import { type DataSource } from 'typeorm';
import {
  acquireEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../packages/local-postgres/local-postgres.js';
import { type Config } from '../../config.js';
import { reasonOf } from '../errors.js';
import { type Logger } from '../logger.js';
import { createDataSource, type Entities } from './data-source.js';
import { migrate } from './migrate.js';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { resolve } from 'node:path';

/** A connected database, with its embedded server if there is one. */
export interface Database {
  readonly dataSource: DataSource;
  /** The names of the migrations that ran when the database was opened. */
  readonly migrated: readonly string[];
  /** The embedded server. Undefined if a database is configured, or if the parent process runs the server. */
  readonly embedded: EmbeddedPostgres | undefined;
  close(): Promise<void>;
}

/** Opens the configured database, or else the embedded one. Only a server process runs migrations. */
export async function openDatabase(
  config: Config,
  logger: Logger,
  { isServer, entities }: { readonly isServer: boolean; readonly entities: Entities },
): Promise<Database> {
  const { databaseUrl, embeddedUrl, dataDir, ephemeral, poolSize, statementMs, idleTransactionMs } = config;
  const log = (line: string): void => {
    logger.warn(line);
  };
  const given = databaseUrl ?? embeddedUrl;
  const embedded =
    given === undefined ? await acquireEmbeddedPostgres({ dataDir, ephemeral, log }) : undefined;
  const url = given ?? embedded?.url ?? '';
  try {
    const migrated = isServer ? await migrate(url, entities, keptFunctions(config)) : [];
    const onIdleError = (error: unknown): void => {
      logger.debug(
        { err: error },
        `a connection to PostgreSQL${databaseUrl === undefined ? '' : ' (DATABASE_URL)'} broke`,
      );
    };
    // A command's statements have no time limit, because a command may move or prune much data.
    const limits = { poolSize, statementMs: isServer ? statementMs : 0, idleTransactionMs };
    const dataSource = await createDataSource({ url, entities, ...limits, onIdleError });
    await dataSource.initialize().catch((error: unknown) => {
      throw databaseUrl === undefined ? error : connectionFault(error);
    });
    const close = async (): Promise<void> => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await embedded?.release();
    };
    return { dataSource, migrated, embedded, close };
  } catch (error) {
    await embedded?.release();
    throw error;
  }
}

/**
 * The file of SQL functions that a starting process must not replace. With WTS_CLOCK, another process may
 * have moved the time by redefining `service_now`, a function of time.sql.
 */
function keptFunctions({ timeFile }: Config): string | undefined {
  return timeFile === undefined ? undefined : 'time';
}

/** Why the PostgreSQL of `DATABASE_URL` cannot be used, as one sentence for operators. */
const connectionFault = (cause: unknown): Error =>
  new Error(`PostgreSQL (DATABASE_URL) cannot be used: ${reasonOf(cause)}`, { cause });

/** Error codes of rejected credentials, a missing database, or a server certificate that is not trusted. */
const lasting = /^(28...|3D...|[A-Z_]*(CERT|ALTNAME)[A-Z_]*)$/;

/** Waits up to a minute until PostgreSQL accepts a connection; throws at once if waiting cannot help. */
export async function waitForDatabase(url: string, logger: Logger): Promise<void> {
  const deadline = Date.now() + CONNECT_TIMEOUT_MS;
  let told: string | undefined;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
    const error = await tryToConnect(url);
    if (error === undefined) {
      if (told !== undefined) logger.info('PostgreSQL (DATABASE_URL) can be used now');
      return;
    }
    const fault = connectionFault(error);
    const isLasting = lasting.test(String(Reflect.get(error, 'code')));
    if (isLasting || Date.now() + pauseMs > deadline) throw fault;
    if (told !== fault.message) logger.warn(`${fault.message}; trying again`);
    told = fault.message;
    await pause(pauseMs);
  }
}

async function tryToConnect(url: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // Ignores the event `error`, because `connect` rejects with the same error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

const CONNECT_TIMEOUT_MS = 60_000;

/** Describes the configured database to operators, without secrets. */
export function shownDatabase({
  databaseUrl,
  ephemeral,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'ephemeral' | 'dataDir'>): string {
  if (databaseUrl !== undefined) return shownAddress(databaseUrl);
  return ephemeral ? 'a throw-away PostgreSQL' : `the embedded PostgreSQL in ${resolve(dataDir)}`;
}

/** The address of a database: a URL with the user, the server and the database's name, but no secrets. */
export function shownAddress(databaseUrl: string): string {
  // As the driver does, fills gaps in the URL from environment variables such as PGHOST. Drops the query of
  // the URL, because the query may hold a password.
  const { user = '', host, port, database = '' } = new pg.Client({ connectionString: databaseUrl });
  const place = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
  return `postgres://${encodeURIComponent(user)}@${place}:${port}/${encodeURIComponent(database)}`;
}
