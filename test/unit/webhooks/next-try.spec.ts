import { readConfig } from '../../../src/config.js';
import { nextTryMs } from '../../../src/common/pause.js';

const { webhookDelaysMs } = readConfig({});
const day = 86_400_000;

describe('the next try', () => {
  it('"at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h (75 h 35 min)"', () => {
    const [s, min, h] = [1000, 60_000, 3_600_000];
    expect(webhookDelaysMs).toEqual([
      0,
      5 * s,
      5 * min,
      30 * min,
      2 * h,
      5 * h,
      10 * h,
      14 * h,
      20 * h,
      24 * h,
    ]);
    expect(nextTryMs(webhookDelaysMs, 10, 0)).toBeUndefined();
  });

  it('comes with "±20 % jitter", which "never undercuts" `Retry-After`; "above 24 h it is 24 h"', () => {
    for (let n = 0; n < 1000; n += 1) {
      const ms = nextTryMs(webhookDelaysMs, 2, 0) ?? 0;
      expect(ms).toBeGreaterThanOrEqual(240_000);
      expect(ms).toBeLessThanOrEqual(360_000);
      expect(nextTryMs(webhookDelaysMs, 2, 300_000)).toBeGreaterThanOrEqual(300_000);
    }
    expect(nextTryMs(webhookDelaysMs, 1, 3_600_000)).toBe(3_600_000);
    expect(nextTryMs(webhookDelaysMs, 1, 10 * day)).toBe(day);
  });
});
