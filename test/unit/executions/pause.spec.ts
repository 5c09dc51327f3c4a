import { pauseAfter } from '../../../src/executions/do-effect.js';

const many = Array.from({ length: 1000 });
const pauses = (tries: number, retryAfter?: string): number[] =>
  many.map(() => pauseAfter(tries, retryAfter) ?? Infinity);

describe('the pause before another try', () => {
  it('grows from try to try, whatever the jitter is', () => {
    for (const tries of [1, 2, 3, 4, 5, 6])
      expect(Math.min(...pauses(tries + 1))).toBeGreaterThan(Math.max(...pauses(tries)));
    expect(Math.max(...pauses(10))).toBeLessThanOrEqual(75_000);
  });

  it('differs each time', () => {
    expect(new Set(pauses(1)).size).toBeGreaterThan(900);
  });

  it('is what Retry-After asks for, in seconds or by a date', () => {
    expect(pauseAfter(1, '300')).toBe(300_000);
    const inTwoMinutes = pauseAfter(1, new Date(Date.now() + 120_000).toUTCString()) ?? 0;
    expect(inTwoMinutes).toBeGreaterThan(110_000);
    expect(inTwoMinutes).toBeLessThanOrEqual(120_000);
  });

  it.each(['', '0', '-1', '1.5', '2e9', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Thu, nonsense GMT'])(
    'is as without Retry-After for %j',
    (text) => {
      expect(Math.min(...pauses(1, text))).toBeGreaterThanOrEqual(375);
      expect(Math.max(...pauses(1, text))).toBeLessThanOrEqual(625);
    },
  );

  it.each(['301', '9'.repeat(400), 'Fri, 01 Jan 2100 00:00:00 GMT'])('never ends for %s', (text) => {
    expect(pauseAfter(1, text)).toBeUndefined();
  });
});
