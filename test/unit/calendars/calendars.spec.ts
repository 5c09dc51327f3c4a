import fc from 'fast-check';
import {
  type CalendarSource,
  parseCalendar,
  tooManyDays,
} from '../../../src/workflows/time/parse-calendar.js';
import { easterOf, openTimes } from '../../../src/workflows/time/calendar.js';
import { addTo } from '../../../src/workflows/time/working-time.js';
import { dayText } from '../../../src/workflows/time/zone.js';
import { at, calendarOf, duration, iso, office, timeBetween } from './support.js';

const calendar = calendarOf();

describe('a calendar', () => {
  // Rule: every refusal is collected, and says where it stands.
  it('is refused with all its faults', () => {
    expect(
      parseCalendar({
        id: 'odd',
        timezone: 'Europe/Berln',
        hours: {
          mon: ['09:00-12:30', '12:00-17:00', '25:00-26:00'],
          moon: '09:00-17:00',
          'tue-thu': '17:00-09:00',
          wed: ['10:00-10:00'],
          fri: '22:00-06:00',
          sat: '05:00-08:00',
          'mon-tue-wed': [],
        },
        holidays: ['12-25', '02-30', '2026-02-29', 'easter+251', 'easter monday', '02-29'],
      }).refusals?.map(({ path, message }) => `${path.join('.')} ${message}`),
    ).toEqual([
      'timezone is not a time zone: Europe/Berln; did you mean Europe/Berlin?',
      'hours.mon.2 are not hours such as 09:00-17:30: 25:00-26:00',
      'hours.moon is not a day or range of days such as mon or mon-thu: moon; did you mean mon?',
      'hours.wed names wed twice',
      'hours.wed.0 do not end after they begin: 10:00-10:00; hours past midnight must begin at noon or later and end by noon',
      'hours.mon-tue-wed is not a day or range of days such as mon or mon-thu: mon-tue-wed',
      'hours.mon.1 overlap with 09:00-12:30: 12:00-17:00',
      'hours.sat overlap with 22:00-06:00: 05:00-08:00',
      'holidays.1 is not a holiday such as 12-25 (every year), 2026-06-05 or easter+1: 02-30',
      'holidays.2 is not a holiday such as 12-25 (every year), 2026-06-05 or easter+1: 2026-02-29',
      'holidays.3 is more than 80 days before or more than 250 days after Easter',
      'holidays.4 is not a holiday such as 12-25 (every year), 2026-06-05 or easter+1: easter monday',
    ]);
  });

  it('is refused without hours, or without an open day', () => {
    const none = [{ path: ['hours'], message: 'are empty: a week needs open hours' }];
    expect(parseCalendar({ ...office, hours: {} })).toEqual({ refusals: none });
    expect(parseCalendar({ ...office, hours: { 'mon-sun': [] } })).toEqual({ refusals: none });
    const everyDay = Array.from({ length: 366 }, (_, day) => dayText(10_957 + day).slice(5));
    expect(parseCalendar({ ...office, holidays: everyDay }).refusals).toEqual([
      { path: ['holidays'], message: 'leave no day open' },
    ]);
  });

  it('has at most 20 ranges a day', () => {
    const ranges = Array.from({ length: 21 }, (_, n) => `09:${10 + 2 * n}-09:${11 + 2 * n}`);
    expect(calendarOf({ hours: { mon: ranges.slice(1) } }).week[0]).toHaveLength(20);
    expect(parseCalendar({ ...office, hours: { mon: ranges } }).refusals).toEqual([
      { path: ['hours', 'mon'], message: 'has more than 20 ranges: 21' },
    ]);
  });

  it('may be open through midnight, until midnight, and over the end of the week', () => {
    expect(calendarOf({ hours: { 'mon-sun': '22:00-06:00' } }).week[6]).toMatchObject([
      { text: '22:00-06:00' },
    ]);
    expect(calendarOf({ hours: { 'sat-mon': '00:00-24:00' } }).week.map((hours) => hours.length)).toEqual([
      1, 0, 0, 0, 0, 1, 1,
    ]);
    expect(parseCalendar({ ...office, hours: { sun: '22:00-06:00', mon: '05:30-12:00' } }).refusals).toEqual([
      { path: ['hours', 'mon'], message: 'overlap with 22:00-06:00: 05:30-12:00' },
    ]);
  });
});

describe('working time', () => {
  // Tuesday 24 November 2026; Berlin is at +01:00.
  const nights = { hours: { 'mon-sun': '22:00-06:00' }, holidays: [] };
  const apia = { timezone: 'Pacific/Apia', hours: { 'mon-sun': '09:00-17:00' }, holidays: [] };

  it.each<[string, string, string, string, Partial<CalendarSource>?]>([
    ['a break of an hour lies between', '2026-11-24T08:00', '4 working_hours', '2026-11-24T13:00'],
    ['Friday has begun at midnight', '2026-11-26T23:00', '1 working_day', '2026-11-30T16:30'],
    ['it begins at the closing', '2026-11-24T16:30', '1 working_minute', '2026-11-25T08:01'],
    ['Christmas lies between', '2026-12-24T16:00', '1 working_hour', '2026-12-28T08:30'],
    ['the day of the start does not count', '2026-11-24T08:00', '1 working_day', '2026-11-25T16:30'],
    ['Easter Monday is a holiday', '2026-04-02T10:00', '2 working_days', '2026-04-07T15:30'],
    ['days keep the local time of day', '2026-03-28T09:15', '1 day', '2026-03-29T08:15'],
    ['there is no 02:30', '2026-03-28T01:30', '1 day', '2026-03-29T01:30'],
    ['of two 02:30 it is the first', '2026-10-24T00:30', '1 day', '2026-10-25T00:30'],
    ['29 February was a Thursday', '2024-02-28T09:00', '2 working_days', '2024-03-01T14:00'],
    // Nine hours of clock may be ten of work; a night is of the day on which it begins.
    ['a night has an hour twice', '2026-10-24T20:00', '9 working_hours', '2026-10-25T05:00', nights],
    ['a night lacks an hour', '2026-03-28T21:00', '7 working_hours', '2026-03-29T04:00', nights],
    ['it begins in a night', '2026-11-24T02:00', '1 working_day', '2026-11-25T05:00', nights],
    ['there is no 30 December 2011 in Apia', '2011-12-29T19:00', '9 working_hours', '2011-12-30T20:00', apia],
    ['it is counted back', '2026-11-24T13:00', '-4 working_hours', '2026-11-24T08:00'],
    ['it is counted back from an opening', '2026-11-30T08:30', '-1 working_hour', '2026-11-27T13:30'],
    ['it is counted back in working days', '2026-11-24T16:30', '-2 working_days', '2026-11-20T14:00'],
    ['it is counted back in days', '2026-03-29T08:15', '-1 day', '2026-03-28T09:15'],
  ])('%s: from %s and %s is %s', (_, from, text, to, source = {}) => {
    const { amount, unit } = duration(text.replace('-', ''));
    const sum = { amount: text.startsWith('-') ? -amount : amount, unit };
    expect(iso(addTo(calendarOf(source), at(`${from}Z`), sum)).slice(0, 16)).toBe(to);
  });

  it('counts nine hours in a night on which the clock is set back', () => {
    const night = [at('2026-10-24T12:00Z'), at('2026-10-25T12:00Z')] as const;
    expect(timeBetween(calendarOf(nights), 'working', ...night)).toBe(9 * 3_600_000);
  });

  it('skips 30 December 2011 in Apia, and half an hour when the clocks of Lord Howe change', () => {
    expect(iso(addTo(calendarOf(apia), at('2011-12-29T19:00:00Z'), duration('1 working_day')))).toBe('2011-12-31T03:00:00.000Z'); // prettier-ignore
    const howe = { timezone: 'Australia/Lord_Howe', hours: { sun: '01:00-03:00' }, holidays: [] };
    const sunday = (day: string): number =>
      timeBetween(calendarOf(howe), 'working', at(`${day}T00:00Z`) - 86_400_000, at(`${day}T00:00Z`));
    expect([sunday('2026-04-05'), sunday('2026-04-12'), sunday('2026-10-04')]).toEqual(
      [150, 120, 90].map((minutes) => minutes * 60_000),
    );
  });

  // Rule: absurd amounts are bounded.
  it('counts at most 100 years ahead', () => {
    const rare = calendarOf({ hours: { mon: '09:00-09:01' } });
    const horizon = at('2026-01-01T00:00Z') + 36_525 * 86_400_000;
    expect(addTo(rare, at('2026-01-01T00:00Z'), duration('87600 working_hours'))).toBe(horizon);
    expect(
      timeBetween(calendar, 'working_days', at('0001-01-01T00:00Z'), at('9999-12-31T00:00Z')),
    ).toBeLessThan(36_525);
  });

  it('counts years as the sum of their days', () => {
    const from = at('2026-01-01T00:00Z');
    const odd = calendarOf({ hours: { 'mon-fri': ['08:00-12:00', '13:00-17:00'], sat: '22:00-06:00' } });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 3_000_000 }),
        (start, minutes) => {
          const [one, other] = [from + start * 60_000, from + (start + minutes) * 60_000];
          const open = [...openTimes(odd, one, other)].reduce((sum, span) => sum + span.to - span.from, 0);
          expect(timeBetween(odd, 'working', one, other)).toBe(open);
          if (open < 60_000) return;
          const whole = { amount: Math.floor(open / 60_000), unit: 'working_minutes' } as const;
          expect(timeBetween(odd, 'working', one, addTo(odd, one, whole))).toBe(whole.amount * 60_000);
          const earlier = addTo(odd, other, { ...whole, amount: -whole.amount });
          expect(timeBetween(odd, 'working', earlier, other)).toBe(whole.amount * 60_000);
        },
      ),
    );
  });

  it('takes at most 10,000 days for a duration of a definition', () => {
    const rare = { ...office, hours: { mon: '09:00-09:01' } };
    expect(tooManyDays(rare, duration('1300 working_minutes'))).toBeUndefined();
    expect(tooManyDays(rare, duration('1500 working_minutes'))).toBe(
      'takes more than 10,000 days by the calendar office: 1500 working_minutes',
    );
    expect(tooManyDays(office, duration('3650 days'))).toBeUndefined();
  });
});

describe('Easter', () => {
  // The dates of the U.S. Census Bureau's table.
  it('is on the days of the table', () => {
    const table = [
      '2000-04-23 2001-04-15 2002-03-31 2003-04-20 2004-04-11 2005-03-27 2006-04-16 2007-04-08 2008-03-23 2009-04-12',
      '2030-04-21 2031-04-13 2032-03-28 2033-04-17 2034-04-09 2035-03-25 2036-04-13 2037-04-05 2038-04-25 2039-04-10',
      '2090-04-16 2091-04-08 2092-03-30 2093-04-12 2094-04-04 2095-04-24 2096-04-15 2097-03-31 2098-04-20 2099-04-12',
      '2100-03-28',
    ].flatMap((line) => line.split(' '));
    expect(table.map((date) => dayText(easterOf(Number(date.slice(0, 4)))))).toEqual(table);
    expect(table).toHaveLength(31);
  });
});
