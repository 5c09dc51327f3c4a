import { durationText, parseDuration, units } from '../../../src/workflows/time/duration.js';
import { duration } from './support.js';

// Rule: a duration is `<n> minutes | hours | days | working_minutes | working_hours | working_days`.
describe('a duration', () => {
  it('is a whole number and a unit, which is singular after 1', () => {
    expect(duration('4 working_hours')).toEqual({ amount: 4, unit: 'working_hours' });
    for (const unit of units) {
      expect(duration(`2 ${unit}`)).toEqual({ amount: 2, unit });
      expect(duration(`1 ${unit}`)).toEqual({ amount: 1, unit });
      expect(durationText(duration(`1 ${unit.slice(0, -1)}`))).toBe(`1 ${unit.slice(0, -1)}`);
      expect(durationText(duration(`12 ${unit}`))).toBe(`12 ${unit}`);
    }
  });

  const notSuch = 'is not a duration such as 4 working_hours or 3 days:';
  const notOf =
    'has a unit that is not one of minutes, hours, days, working_minutes, working_hours, working_days:';
  it.each([
    ['1.5 hours', `${notSuch} 1.5 hours`],
    ['PT4H', `${notSuch} PT4H`],
    ['0 days', 'is zero'],
    ['2 day', `${notOf} day; did you mean days?`],
    ['3 workinghours', `${notOf} workinghours; did you mean working_hours?`],
    ['999999999 working_hours', 'is longer than ten years (87600 working_hours)'],
  ])('is refused: %s', (text, message) => {
    expect(parseDuration(text)).toEqual({ refusals: [{ path: [], message }] });
  });
});
