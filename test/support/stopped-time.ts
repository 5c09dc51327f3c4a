import { jest } from '@jest/globals';

/** Does something while what this process remembers grows no older, however slow the machine is. */
export async function whileRemembered<T>(work: () => Promise<T>): Promise<T> {
  return at(performance, performance.now(), work);
}

/** Does something as if so many milliseconds had passed since what this process remembers was read. */
export async function afterRemembering<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return at(performance, performance.now() + ms, work);
}

/** Does something at one moment by the time of this process, so many milliseconds from now. */
export async function atOneMoment<T>(work: () => Promise<T>, aheadMs = 0): Promise<T> {
  return at(Date, Date.now() + aheadMs, work);
}

async function at<T>(source: { now(): number }, time: number, work: () => Promise<T>): Promise<T> {
  const stopped = jest.spyOn(source, 'now').mockReturnValue(time);
  try {
    return await work();
  } finally {
    stopped.mockRestore();
  }
}
