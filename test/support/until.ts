import { setTimeout as sleep } from 'node:timers/promises';

type Condition = () => boolean | Promise<boolean>;

/** Whether this is a run of `npm run test:soak`. */
export const isSoak = process.env['WTS_TEST_SOAK'] === '1';

/** Milliseconds that tests wait for anything: only a fault takes longer, even on a slow machine. */
export const patience = isSoak ? 180_000 : 20_000;

/** Waits until the condition is true; throws when patience ends, and names what has not come. */
export async function until(...args: [isSo: Condition] | [what: string, isSo: Condition]): Promise<void> {
  await poll(patience, args[1] ?? (args[0] as Condition), args[0].toString());
}

/** Waits until the condition is true, which is promised for these milliseconds at the latest. */
export async function within(ms: number, isSo: Condition): Promise<void> {
  await poll(ms, isSo, isSo.toString());
}

/** Checks at intervals, so that the processor is free meanwhile. */
async function poll(ms: number, isSo: Condition, what: string): Promise<void> {
  for (const deadline = Date.now() + ms; ;) {
    // A check that began in time may end late, and tells nothing of what is so at the deadline.
    const isLast = Date.now() > deadline;
    if (await isSo()) return;
    if (isLast) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(20);
  }
}
