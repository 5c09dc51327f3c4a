import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage this many times, including objects that are released some turns of the event loop later. */
export async function collectGarbage(times = 10): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < times; time += 1) {
    for (let turns = 0; turns < 10; turns += 1) await turn();
    collect();
  }
}
