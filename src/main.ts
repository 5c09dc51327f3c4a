import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config.js';
import { waitForDatabase } from './database/wait-for-database.js';
import { demoLink, prepareDemo } from './demo/prepare-demo.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import { allowClosedOutput } from './lib/closed-output.js';
import { createLogger } from './lib/logger.js';
import { type Prepare, startService, stopService } from './service.js';
import { stopOnSignal } from './lib/stop-on-signal.js';
import { logUnhandledRejections } from './lib/unhandled.js';
import { welcome } from './welcome.js';
import { publicAddress } from './ops/public-address.js';

/** Starts the service; ends the process with one readable sentence when it cannot. */
async function main(): Promise<void> {
  keepHeapSmall();
  allowClosedOutput();
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  logUnhandledRejections(logger);
  if (config.databaseUrl !== undefined) await unlessSignalled(waitForDatabase(config.databaseUrl, logger));
  let isEmpty = false;
  let token: string | undefined;
  const prepare: Prepare = async ({ dataSource, embedded }, config, blobs) => {
    if (embedded) {
      const key = await prepareDemo(dataSource, config, blobs);
      if (key !== undefined && config.hasConsole) token = await demoLink(dataSource);
      return key;
    }
    isEmpty = !(await dataSource.manager.exists(WorkspaceEntity));
    return undefined;
  };
  // Signals are heard before anything has begun.
  const started = Promise.resolve().then(() => startService(config, logger, prepare));
  stopOnSignal(logger, async (hurry) => {
    const begun = performance.now();
    await stopService(await started, config, hurry);
    logger.info({ ms: Math.round(performance.now() - begun) }, 'stopped');
  });
  const { address, key } = await started;
  const link = token && `${publicAddress({ ...config, port: address.port })}/sign-in/${token}`;
  process.stdout.write(welcome(address, { key, link, isEmpty }));
}

function keepHeapSmall(): void {
  // Else V8 lets garbage grow to three times of what is in use before it looks at old objects.
  setFlagsFromString('--heap-growing-percent=100');
  // Where many objects once lived long, as rows of lists under load do, V8 begins to make those of the same place as old
  // ones. All that such an object names then outlives it, until old objects are looked at.
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Waits while there is nothing yet that would have to be stopped in good order. */
async function unlessSignalled(waiting: Promise<void>): Promise<void> {
  const end = (): void => {
    process.exit(0);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  await waiting;
  process.off('SIGINT', end).off('SIGTERM', end);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
