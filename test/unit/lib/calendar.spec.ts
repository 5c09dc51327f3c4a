import fc from 'fast-check';
import { addDays } from '../../../src/workflows/expressions/environment.js';
import { startOfDay, todayIn } from '../../../src/common/calendar.js';
import { ExpressionError } from '../../../src/workflows/expressions/expression-error.js';

describe('startOfDay', () => {
  it.each(['0001-01-01', '2024-02-29', '9999-12-31'])('of %s is its first moment in UTC', (day) => {
    expect(startOfDay(day)?.toISOString()).toBe(`${day}T00:00:00.000Z`);
  });

  it.each(['', '0000-12-31', '2023-02-29', '2024-13-01', '2024-1-1', '12024-01-01'])(
    'is nothing of %j',
    (text) => {
      expect(startOfDay(text)).toBeUndefined();
    },
  );
});

describe('todayIn', () => {
  it('is the date on the wall there', () => {
    const instant = new Date('2024-12-31T23:30:00Z');
    expect(todayIn('UTC', instant)).toBe('2024-12-31');
    expect(todayIn('Asia/Tokyo', instant)).toBe('2025-01-01');
    expect(todayIn('America/New_York', new Date('2025-01-01T04:59:00Z'))).toBe('2024-12-31');
    expect(todayIn('UTC', new Date('0099-03-04T00:00:00Z'))).toBe('0099-03-04');
  });
});

describe('addDays', () => {
  it.each([
    ['2024-02-28', 1, '2024-02-29'],
    ['2024-03-01', -1, '2024-02-29'],
    ['0001-01-01', 3_652_058, '9999-12-31'],
    ['0050-01-31', 1, '0050-02-01'],
  ])('%s and %i days is %s', (date, days, later) => {
    expect(addDays(date, days)).toBe(later);
  });

  it.each([
    ['2024-02-30', 1],
    ['0001-01-01', -1],
    ['9999-12-31', 1],
    ['2024-01-01', Infinity],
  ])('%s and %d days is refused', (date, days) => {
    expect(() => addDays(date, days)).toThrow(ExpressionError);
  });

  it('goes there and back', () => {
    const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2900-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(day, fc.integer({ min: -100_000, max: 100_000 }), (date, days) => {
        const start = date.toISOString().slice(0, 10);
        expect(addDays(addDays(start, days), -days)).toBe(start);
      }),
    );
  });
});
