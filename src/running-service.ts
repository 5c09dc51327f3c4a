import { type NestExpressApplication } from '@nestjs/platform-express';
import { type BlobStore } from './attachments/stores/blob-store.js';
import { type Config } from './config.js';
import { type Logger } from './logger.js';
import { Health } from './observability/health.js';
import { openBlobs } from './open-blobs.js';
import { type Database, openDatabase } from './open-database.js';
import { createServer } from './server.js';

/** A service that listens, and what has to be closed after it. */
export interface RunningService {
  readonly app: NestExpressApplication;
  readonly database: Database;
  readonly blobs: BlobStore;
  /** What `prepare` made. */
  readonly key: string | undefined;
}

/** Fills a database before anybody can ask for what is in it; returns a key, if there is one to tell. */
export type Prepare = (database: Database) => Promise<string | undefined>;

/** Starts the service; nothing is left running where that fails. */
export async function startService(
  config: Config,
  logger: Logger,
  prepare: Prepare,
): Promise<RunningService> {
  const database = await openDatabase(config, logger, { isServer: true });
  try {
    const key = await prepare(database);
    const blobs = await openBlobs(config);
    const app = await createServer({ config, dataSource: database.dataSource, blobs, logger });
    await app.listen(config.port);
    return { app, database, blobs, key };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Turns unready, waits until nobody sends more, answers what has begun, and closes everything. */
export async function stopService(
  { app, database, blobs }: RunningService,
  { drainMs }: Config,
): Promise<void> {
  app.get(Health).stop();
  setTimeout(() => process.exit(1), drainMs + hardLimitMs).unref();
  await new Promise((resolve) => setTimeout(resolve, drainMs));
  const server = app.getHttpServer();
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const late = setTimeout(() => {
    server.closeAllConnections();
  }, 10_000);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
  await blobs.close();
  await database.close();
}

const hardLimitMs = 20_000;
