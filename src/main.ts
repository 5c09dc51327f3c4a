import { readConfig } from './config.js';
import { prepareDemo } from './demo.js';
import { createLogger } from './logger.js';
import { type Prepare, startService, stopService } from './running-service.js';
import { stopOnSignal } from './stop-on-signal.js';
import { logUnhandledRejections } from './unhandled.js';
import { welcome } from './welcome.js';

/** Starts the service; ends the process with one readable sentence when it cannot. */
async function main(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  logUnhandledRejections(logger);
  const prepare: Prepare = async ({ dataSource, embedded }) => embedded && prepareDemo(dataSource, config);
  // Signals are heard before anything has begun.
  const started = Promise.resolve().then(() => startService(config, logger, prepare));
  stopOnSignal(logger, async () => {
    await stopService(await started, config);
  });
  const { app, key } = await started;
  process.stdout.write(welcome(await app.getUrl(), key));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
