import { startOfDay, todayIn } from '../../../src/common/calendar.js';

describe('startOfDay', () => {
  it.each(['0001-01-01', '2024-02-29', '9999-12-31'])('of %s is its first moment in UTC', (day) => {
    expect(startOfDay(day)?.toISOString()).toBe(`${day}T00:00:00.000Z`);
  });

  it.each(['', '0000-12-31', '2023-02-29', '2024-13-01', '2024-1-1', '12024-01-01'])(
    'is undefined for %j',
    (text) => {
      expect(startOfDay(text)).toBeUndefined();
    },
  );
});

describe('todayIn', () => {
  it('is the local date', () => {
    const instant = new Date('2024-12-31T23:30:00Z');
    expect(todayIn('UTC', instant)).toBe('2024-12-31');
    expect(todayIn('Asia/Tokyo', instant)).toBe('2025-01-01');
    expect(todayIn('America/New_York', new Date('2025-01-01T04:59:00Z'))).toBe('2024-12-31');
    expect(todayIn('UTC', new Date('0099-03-04T00:00:00Z'))).toBe('0099-03-04');
  });
});
