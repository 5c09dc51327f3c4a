import cluster from 'node:cluster';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readConfig } from './config.js';
import { allowClosedOutput, logUnhandledRejections } from './common/program.js';
import { reasonOf } from './common/errors.js';
import { createLogger } from './common/logger.js';

/** Starts the service. If that fails, ends the process with one readable sentence. */
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

/** Called when everything is loaded, because V8 rejects its compile cache if the flags have changed. */
function keepHeapSmall(): void {
  // Without this, V8 lets garbage grow to three times the live memory before it collects old objects.
  setFlagsFromString('--heap-growing-percent=100');
  // Under load, the rows of lists live long. V8 would then place new ones among the old objects at once, and all that
  // they refer to would stay until old objects are collected.
  setFlagsFromString('--no-allocation-site-pretenuring');
}

const LOOK_MS = 10_000;
/** A process is under load if it works for more than `LOAD` of its time, and idle if it works for less than `REST`. */
const LOAD = 0.1;
const REST = 0.02;

/** V8 itself waits until new objects need the memory, which never happens in an idle process. */
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
