import cluster from 'node:cluster';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readConfig } from './config.js';
import { allowClosedOutput, logUnhandledRejections } from './common/program.js';
import { reasonOf } from './common/errors.js';
import { createLogger } from './common/logger.js';

/** Starts the service. If the start fails, the process ends with the reason on standard error. */
async function main(): Promise<void> {
  allowClosedOutput();
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  logUnhandledRejections(logger);
  // A process that only supervises others loads little of the service, to save memory.
  if (config.processes !== undefined && cluster.isPrimary) {
    const { startProcesses } = await import('./cli/service/processes.js');
    keepHeapSmall();
    await startProcesses(config, config.processes, logger);
  } else {
    const { serve } = await import('./cli/service/serve.js');
    keepHeapSmall();
    collectWhenIdle();
    await serve(config, logger);
  }
}

/** Called after the modules are loaded, because V8 rejects its compile cache after a change of flags. */
function keepHeapSmall(): void {
  // By default, V8 lets garbage grow to three times the live memory before it collects old objects.
  setFlagsFromString('--heap-growing-percent=100');
  // Under load, rows of lists live long, so V8 would allocate new rows among the old objects. Everything that
  // those rows refer to would stay until V8 collects old objects.
  setFlagsFromString('--no-allocation-site-pretenuring');
}

const LOOK_MS = 10_000;
/** A process whose utilization is above `LOAD` is under load. A process below `REST` is idle. */
const LOAD = 0.1;
const REST = 0.02;

/** Collects garbage in a process that is idle after load. V8 itself waits until new objects need memory. */
function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let hadLoad = true;
  let last = performance.eventLoopUtilization();
  const look = (): void => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    if (utilization > LOAD) hadLoad = true;
    if (!hadLoad || utilization > REST) return;
    hadLoad = false;
    collect();
  };
  setInterval(look, LOOK_MS).unref();
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
});
