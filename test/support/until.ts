import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until it is so, asking now and then, as what is waited for needs the processor too; throws when it takes longer. */
export async function until(isSo: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await isSo());) {
    if (Date.now() > deadline) throw new Error(`not so within ${ms} ms: ${isSo.toString()}`);
    await sleep(20);
  }
}
