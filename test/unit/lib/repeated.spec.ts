import { jest } from '@jest/globals';
import { Repeated } from '../../../src/lib/repeated.js';

describe('Repeated work', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** The times at which work with this pause starts, from now on. */
  function startsOf(pauseMs: number): number[] {
    const starts: number[] = [];
    const repeated = new Repeated(pauseMs, () => {
      starts.push(Math.round(performance.now()));
      return Promise.resolve();
    });
    repeated.start();
    return starts;
  }

  it('starts together with other work, however long the pauses are and whenever each began', async () => {
    const often = startsOf(150);
    await jest.advanceTimersByTimeAsync(40);
    const seldom = startsOf(500);
    await jest.advanceTimersByTimeAsync(3000);
    expect(seldom.length).toBeGreaterThan(4);
    expect(often).toEqual(expect.arrayContaining(seldom));
  });

  it('keeps a pause that is shorter than the time between two such starts', async () => {
    const starts = startsOf(20);
    await jest.advanceTimersByTimeAsync(200);
    expect(starts).toHaveLength(10);
  });
});
