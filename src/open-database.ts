import { type DataSource } from 'typeorm';
import { type Config } from './config.js';
import { createDataSource } from './database/data-source.js';
import { migrate } from './database/migrate.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { type Logger } from './logger.js';

/** A connected, migrated database and what stands behind it. */
export interface Database {
  readonly dataSource: DataSource;
  /** The PostgreSQL that we brought along; absent when `DATABASE_URL` names another. */
  readonly embedded: EmbeddedPostgres | undefined;
  close(): Promise<void>;
}

/** Opens the database that the configuration names, or else the embedded one. */
export async function openDatabase(
  { databaseUrl, dataDir, ephemeral, poolSize }: Config,
  logger: Logger,
): Promise<Database> {
  const log = (line: string): void => {
    logger.warn(line);
  };
  const embedded =
    databaseUrl === undefined ? await acquireEmbeddedPostgres({ dataDir, ephemeral, log }) : undefined;
  const dataSource = await createDataSource({
    url: databaseUrl ?? embedded?.url ?? '',
    poolSize,
    onIdleError: (error) => {
      logger.warn({ err: error }, 'a database connection broke');
    },
  });
  const close = async (): Promise<void> => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await embedded?.release();
  };
  try {
    await dataSource.initialize();
    await migrate(dataSource);
  } catch (error) {
    await close();
    throw error;
  }
  return { dataSource, embedded, close };
}
