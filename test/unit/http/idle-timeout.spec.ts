import { jest } from '@jest/globals';
import { type Refusal } from '../../../src/lib/errors.js';
import { IdleTimeout } from '../../../src/http/read-body.js';

describe('a body that takes longer than 10 s', () => {
  let refusals: Refusal[];
  let idle: IdleTimeout;
  beforeEach(() => {
    jest.useFakeTimers();
    refusals = [];
    idle = new IdleTimeout((refusal) => refusals.push(refusal));
    idle.start();
  });
  afterEach(() => jest.useRealTimers());

  it('is refused when less than 80 kB come in 10 s', () => {
    idle.count(80_000);
    jest.advanceTimersByTime(10_000);
    expect(refusals).toEqual([]);
    idle.count(79_999);
    jest.advanceTimersByTime(10_000);
    expect(refusals).toMatchObject([{ kind: 'too-slow' }]);
  });
});
