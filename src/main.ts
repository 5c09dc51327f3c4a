import { type NestExpressApplication } from '@nestjs/platform-express';
import { type BlobStore } from './attachments/stores/blob-store.js';
import { type Config, readConfig } from './config.js';
import { prepareDemo } from './demo.js';
import { createLogger, type Logger } from './logger.js';
import { Health } from './observability/health.js';
import { openBlobs } from './open-blobs.js';
import { type Database, openDatabase } from './open-database.js';
import { createServer } from './server.js';
import { stopOnSignal } from './stop-on-signal.js';
import { welcome } from './welcome.js';

/** Starts the service; ends the process with one readable sentence when it cannot. */
async function main(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  // Signals are heard before anything has begun.
  const started = Promise.resolve().then(() => start(config, logger));
  stopOnSignal(logger, async () => {
    await stop(await started, config);
  });
  const { app, demoKey } = await started;
  process.stdout.write(welcome(await app.getUrl(), demoKey));
}

interface Started {
  readonly app: NestExpressApplication;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly demoKey: string | undefined;
}

async function start(config: Config, logger: Logger): Promise<Started> {
  const database = await openDatabase(config, logger, { isServer: true });
  try {
    const demoKey = database.embedded && (await prepareDemo(database.dataSource, config));
    const blobs = await openBlobs(config);
    const app = await createServer({ config, dataSource: database.dataSource, blobs, logger });
    await app.listen(config.port);
    return { app, database, blobs, demoKey };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Turns unready, waits until nobody sends more, answers what has begun, and closes everything. */
async function stop({ app, database, blobs }: Started, { drainMs }: Config): Promise<void> {
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

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
