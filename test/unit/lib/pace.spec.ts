import { jest } from '@jest/globals';
import { type Refusal } from '../../../src/lib/errors.js';
import { Pace } from '../../../src/lib/pace.js';

describe('a body that takes longer than 10 s', () => {
  let refusals: Refusal[];
  let pace: Pace;
  beforeEach(() => {
    jest.useFakeTimers();
    refusals = [];
    pace = new Pace((refusal) => refusals.push(refusal));
    pace.start();
  });
  afterEach(() => jest.useRealTimers());

  it('is refused when less than 80 kB come in 10 s', () => {
    pace.count(80_000);
    jest.advanceTimersByTime(10_000);
    expect(refusals).toEqual([]);
    pace.count(79_999);
    jest.advanceTimersByTime(10_000);
    expect(refusals).toMatchObject([{ kind: 'too-slow' }]);
  });

  it('is not refused for a while in which nothing is read, nor when it is over', () => {
    pace.stop();
    jest.advanceTimersByTime(60_000);
    pace.start();
    jest.advanceTimersByTime(9_999);
    pace.stop();
    jest.advanceTimersByTime(60_000);
    expect(refusals).toEqual([]);
  });
});
