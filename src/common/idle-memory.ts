import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 10_000;
/** A process is under load if it works for more than `LOAD` of its time, and idle if it works for less than `REST`. */
const LOAD = 0.1;
const REST = 0.02;

/** V8 itself waits until new objects need the memory, which never happens in an idle process. */
export function collectWhenIdle(): void {
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
