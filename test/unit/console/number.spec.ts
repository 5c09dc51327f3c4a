import { numberInControl, typedNumber } from '../../../src/console/parts/number.js';

// Rule: numbers are read in the reader's way of writing where that is unambiguous, else refused.
describe('a number that somebody typed', () => {
  it.each([
    ['12,50', '12.50'],
    ['12.50', '12.50'],
    ['1 234,50', '1234.50'],
    ['1\u202f234,50', '1234.50'],
    ["1'234.50", '1234.50'],
    ['1.234,50', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1.234.567', '1234567'],
    ['12,34,567', '1234567'],
    ['1 234', '1234'],
    ['−3,5', '-3.5'],
    ['0,125', '0.125'],
    ['.5', '0.5'],
    ['-,125', '-0.125'],
    ['+12,5', '12.5'],
    [' 7 ', '7'],
    ['', ''],
  ])('%s is read by everybody as %s', (typed, read) => {
    expect([typedNumber(typed, 'en'), typedNumber(typed, 'de-AT')]).toEqual([read, read]);
  });

  it('has the decimal sign of the reader, and only groups that no reader takes for decimals', () => {
    expect([typedNumber('1.234', 'en'), typedNumber('1,234', 'de')]).toEqual(['1.234', '1.234']);
    const others = ['1,234', '1,2,3', '1.234,5,6', '12 34', 'x', '1e3', '+-1', '.', '12,'].map((typed) =>
      typedNumber(typed, 'en'),
    );
    expect([...others, typedNumber('1.234', 'de')].every((read) => read.startsWith(' '))).toBe(true);
  });

  it('reads what a control shows as the same number', () => {
    for (const locale of ['en', 'de-AT', 'en-ZA'])
      for (const value of ['1.234', '-1234.50', '7'])
        expect(typedNumber(numberInControl(value, locale), locale)).toBe(value);
    expect(numberInControl(typedNumber('1.234', 'de'), 'de')).toBe('1.234');
  });
});
