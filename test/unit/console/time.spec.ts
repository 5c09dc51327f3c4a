import { formatOf } from '../../../src/console/parts/time.js';

test('a format of times is made once for each locale and zone', () => {
  const format = formatOf('de', { timeStyle: 'short', timeZone: 'Asia/Tokyo' });
  expect(formatOf('de', { timeStyle: 'short', timeZone: 'Asia/Tokyo' })).toBe(format);
  expect(formatOf('de', { timeStyle: 'short', timeZone: 'UTC' })).not.toBe(format);
  expect(format.format(new Date('2026-03-31T12:00:00Z'))).toBe('21:00');
});
