import { millisecondsOfIso } from '../../../src/common/ops/time-file.js';

// `WTS_CLOCK` names a file with an ISO 8601 duration.
it.each([
  ['P3DT2H', 74 * 3_600_000],
  ['-P1D', -86_400_000],
  ['PT0S', 0],
  ['PT1.5S', 1500],
])('reads %s', (text, milliseconds) => {
  expect(millisecondsOfIso(text)).toBe(milliseconds);
});

it.each(['', 'P', 'PT', 'P1Y', 'P1M', 'P1W', '3 days', 'P1DT', 'PT1H2', 'P1H'])(
  'does not read %s',
  (text) => {
    expect(millisecondsOfIso(text)).toBeUndefined();
  },
);
