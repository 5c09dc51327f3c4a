import { type DataSource } from 'typeorm';
import {
  acquireEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../packages/local-postgres/local-postgres.js';
import { type Config } from '../config.js';
import { type Logger } from '../lib/logger.js';
import { connectionFault } from './connection-fault.js';
import { createDataSource } from './data-source.js';
import { migrate } from './migrate.js';

/** A connected, migrated database and what stands behind it. */
export interface Database {
  readonly dataSource: DataSource;
  /** The names of the migrations that ran when it was opened. */
  readonly migrated: readonly string[];
  /** The PostgreSQL that this process has brought along. */
  readonly embedded: EmbeddedPostgres | undefined;
  close(): Promise<void>;
}

/**
 * Opens the database that the configuration names, or else the embedded one, which has one server at most. Only a server
 * migrates it.
 */
export async function openDatabase(
  { databaseUrl, embeddedUrl, dataDir, ephemeral, poolSize, statementMs, idleTransactionMs }: Config,
  logger: Logger,
  { isServer }: { readonly isServer: boolean },
): Promise<Database> {
  const log = (line: string): void => {
    logger.warn(line);
  };
  const given = databaseUrl ?? embeddedUrl;
  const embedded =
    given === undefined ? await acquireEmbeddedPostgres({ dataDir, ephemeral, log }) : undefined;
  const url = given ?? embedded?.url ?? '';
  try {
    if (isServer) await embedded?.claimServer();
    const migrated = isServer ? await migrate(url) : [];
    const onIdleError = (error: unknown): void => {
      logger.debug(
        { err: error },
        `a connection to PostgreSQL${databaseUrl === undefined ? '' : ' (DATABASE_URL)'} broke`,
      );
    };
    // The command line moves and prunes what takes its time.
    const limits = { poolSize, statementMs: isServer ? statementMs : 0, idleTransactionMs };
    const dataSource = await createDataSource({ url, ...limits, onIdleError });
    await dataSource.initialize();
    const close = async (): Promise<void> => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await embedded?.release();
    };
    return { dataSource, migrated, embedded, close };
  } catch (error) {
    await embedded?.release();
    throw (databaseUrl === undefined ? undefined : connectionFault(error)) ?? error;
  }
}
