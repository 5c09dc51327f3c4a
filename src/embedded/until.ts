import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until the answer is yes; false when the time, in milliseconds, is over first. */
export async function until(ask: () => boolean | Promise<boolean>, time: number): Promise<boolean> {
  const deadline = Date.now() + time;
  while (!(await ask())) {
    if (Date.now() > deadline) return false;
    await pause(15);
  }
  return true;
}
