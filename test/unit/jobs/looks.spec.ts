import { jest } from '@jest/globals';
import { Looks } from '../../../src/common/jobs/job-waker.js';

describe('the looks for due work in an installation', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A process that notes its looks, and tells the others of them, as PostgreSQL does. */
  function processOf(others: Process[] = [], nextMs = Infinity): Process {
    const times: number[] = [];
    let isAsleep = false;
    const looks = new Looks((isRegular) => {
      if (isAsleep) return new Promise(() => undefined);
      times.push(Math.round(performance.now()));
      if (isRegular) for (const other of others) if (other.looks !== looks) other.looks.wait();
      return Promise.resolve(nextMs);
    });
    const suspend = (): void => {
      isAsleep = true;
    };
    const made = { looks, times, suspend };
    others.push(made);
    return made;
  }
  interface Process {
    readonly looks: Looks;
    readonly times: number[];
    readonly suspend: () => void;
  }
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('are one a second, however many processes there are', async () => {
    const all: Process[] = [];
    for (let n = 0; n < 4; n += 1) processOf(all);
    for (const { looks } of all) looks.start();
    await pass(1000);
    const before = all.flatMap(({ times }) => times).length;
    await pass(30_000);
    expect(all.flatMap(({ times }) => times).length - before).toBe(30);
  });

  it('go on within half a second when the process that looks ends or is suspended', async () => {
    const all: Process[] = [];
    const [first, second] = [processOf(all), processOf(all)];
    first.looks.start();
    second.looks.wait();
    await pass(5000);
    expect([first.times.length, second.times]).toEqual([6, []]);
    first.suspend();
    const since = first.times.at(-1) ?? 0;
    await pass(1500);
    expect(second.times).toHaveLength(1);
    expect((second.times[0] ?? 0) - since).toBeLessThan(1500);
  });

  it('come soon after something was written, but not more often than every 150 ms', async () => {
    const { looks, times } = processOf();
    looks.start();
    await pass(500);
    const at = Math.round(performance.now());
    for (let n = 0; n < 250; n += 1) {
      looks.wake();
      await pass(1);
    }
    expect(times.slice(1)).toEqual([at, at + 150]);
  });

  it('come at the instant at which the next work is due', async () => {
    const { looks, times } = processOf([], 400);
    const at = Math.round(performance.now());
    looks.start();
    await pass(450);
    expect(times).toHaveLength(2);
    expect((times[1] ?? 0) - at).toBeGreaterThanOrEqual(400);
  });

  it('end with the process', async () => {
    const { looks, times } = processOf();
    looks.start();
    await pass(10);
    looks.wake();
    await looks.stop();
    looks.wake();
    looks.wait();
    await pass(5000);
    expect(times).toHaveLength(1);
  });
});
