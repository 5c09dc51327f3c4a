import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config.js';
import { allowClosedOutput, logUnhandledRejections } from './lib/program.js';
import { createLogger } from './lib/logger.js';

/** Starts the service; ends the process with one readable sentence when it cannot. */
async function main(): Promise<void> {
  // A terminal that closes, or whoever signals a whole group, means the first process.
  if (cluster.isWorker) process.on('SIGHUP', () => undefined);
  allowClosedOutput();
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  logUnhandledRejections(logger);
  // Whoever only watches over others needs little of the service, and so little memory.
  if (config.processes !== undefined && cluster.isPrimary) {
    const { startProcesses } = await import('./processes.js');
    keepHeapSmall();
    await startProcesses(config, config.processes, logger);
  } else {
    const { serve } = await import('./serve.js');
    keepHeapSmall();
    await serve(config, logger);
  }
}

/** When all is loaded: with other options V8 does not take what the build has compiled. */
function keepHeapSmall(): void {
  // Without this V8 lets garbage grow to three times the memory in use before it looks at old objects.
  setFlagsFromString('--heap-growing-percent=100');
  // Where many objects once lived long, as rows of lists under load do, V8 begins to make those of the same place as old
  // ones. All that such an object names then outlives it, until old objects are looked at.
  setFlagsFromString('--no-allocation-site-pretenuring');
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
