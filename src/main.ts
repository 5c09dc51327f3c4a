import { type NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from './config.js';
import { prepareDemo } from './demo.js';
import { createLogger, type Logger } from './logger.js';
import { type Database, openDatabase } from './open-database.js';
import { createServer } from './server.js';
import { welcome } from './welcome.js';

/** Starts the service; ends the process with one readable sentence when it cannot. */
async function main(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  const database = await openDatabase(config, logger);
  try {
    await database.embedded?.claimServer();
    const demoKey = database.embedded && (await prepareDemo(database.dataSource, config));
    const app = await createServer({ config, dataSource: database.dataSource, logger });
    await app.listen(config.port);
    stopOnSignal(app, database, logger);
    process.stdout.write(welcome(await app.getUrl(), demoKey));
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Answers what has begun, closes everything and exits with 0. */
function stopOnSignal(app: NestExpressApplication, database: Database, logger: Logger): void {
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping');
    const late = setTimeout(() => {
      app.getHttpServer().closeAllConnections();
    }, drainMs);
    app
      .close()
      .then(() => database.close())
      .then(
        () => {
          clearTimeout(late);
        },
        (error: unknown) => {
          logger.error({ err: error }, 'stopped in disorder');
          process.exitCode = 1;
        },
      )
      .finally(() => process.exit());
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

const drainMs = 10_000;

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
