import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until the condition is true, checking at intervals so that the processor is free meanwhile; throws after the
 * time.
 */
export async function until(isSo: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await isSo());) {
    if (Date.now() > deadline) throw new Error(`not so within ${ms} ms: ${isSo.toString()}`);
    await sleep(20);
  }
}
