import { parseCron } from '../../../src/workflows/time/cron.js';
import {
  labelsOf,
  lastFiringBetween,
  nextFirings,
  type Timetable,
} from '../../../src/workflows/time/firings.js';
import { zoneOf } from '../../../src/workflows/time/zone.js';
import { at, calendarOf, iso, parsed } from './support.js';

const timetable = (cron: string, timezone = 'Europe/Berlin'): Timetable => ({
  cron: parsed(parseCron(cron)),
  zone: zoneOf(timezone),
});

/** The next firings: when, and the date and time by which templates know them. */
const fires = (cron: string, after: string, count: number, more: Partial<Timetable> = {}): string[] =>
  nextFirings({ ...timetable(cron), ...more }, at(after), count).map((firing) => {
    const { date, time } = labelsOf(firing);
    return `${iso(firing.instant).slice(0, 16)}Z ${date} ${time}`;
  });

describe('a cron expression', () => {
  it('has five fields, with names, ranges, steps and lists', () => {
    expect(fires('0 7 * * MON', '2026-11-24T00:00Z', 2)).toEqual([
      '2026-11-30T06:00Z 2026-11-30 0700',
      '2026-12-07T06:00Z 2026-12-07 0700',
    ]);
    expect(parsed(parseCron('*/20 8-10,22 1 JAN,JUL-SEP/2 *'))).toMatchObject({
      minutes: [0, 20, 40],
      hours: [8, 9, 10, 22],
      months: new Set([1, 7, 9]),
    });
    expect(parsed(parseCron('0 0 * * 5-7')).weekdays).toEqual(new Set([0, 5, 6]));
    expect(parsed(parseCron('0 0 * * 0')).weekdays).toEqual(new Set([0]));
    expect(parsed(parseCron('0 0 * * 7')).weekdays).toEqual(new Set([0]));
    expect(fires('0 0 29 2 *', '2097-01-01T00:00Z', 2)).toEqual([
      '2104-02-28T23:00Z 2104-02-29 0000',
      '2108-02-28T23:00Z 2108-02-29 0000',
    ]);
  });

  it.each([
    ['@daily', ['does not have five parts such as 0 7 * * MON (minute, hour, day, month, day of the week): @daily']],
    ['60 24 * 13 *', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 60 24 * 13 *; the minute is wrong']],
    ['0 17-9 * * *', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 0 17-9 * * *; the hour is wrong']],
    ['0 0 L * *', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 0 0 L * *; the day is wrong']],
    ['0 0 * * 5L', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 0 0 * * 5L; the day of the week is wrong']],
    ['0 0 * * MOM', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 0 0 * * MOM; the day of the week is wrong']],
    ['*/0 * * * *', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: */0 * * * *; the minute is wrong']],
    ['0 7 30 2 *', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 0 7 30 2 *']],
    ['0 7 31 2,4 *', ['names a day that none of its months has: 0 7 31 2,4 *']],
    ['5/15 * * * *', ['is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: 5/15 * * * *; the minute is wrong']],
    ['0 7 1 * MON', ['names a day of the month and a day of the week: programs differ on whether both must match, so write * for one of them']],
  ])('is refused: %s', (text, messages) => {
    expect(parseCron(text).refusals?.map(({ message }) => message)).toEqual(messages);
  }); // prettier-ignore
});

describe('a schedule', () => {
  const office = { calendar: calendarOf() };

  // Rules: an hour that the clock leaves out fires once, right after; one that comes twice fires once, but for hourly ones,
  // whose second is 0200b; a calendar moves a firing on a closed day to the next open one.
  it.each<[string, string, string, string[], Partial<Timetable>?]>([
    ['fires once for an hour that the clock leaves out', '30 2 * * *', '2026-03-28T00:00Z', ['2026-03-28T01:30Z 2026-03-28 0230', '2026-03-29T01:00Z 2026-03-29 0230', '2026-03-30T00:30Z 2026-03-30 0230']],
    ['for all firings of that hour', '*/20 2 * * *', '2026-03-29T00:00Z', ['2026-03-29T01:00Z 2026-03-29 0200', '2026-03-30T00:00Z 2026-03-30 0200']],
    ['together with what fires at that instant anyway', '0 * * * *', '2026-03-29T00:00Z', ['2026-03-29T01:00Z 2026-03-29 0300', '2026-03-29T02:00Z 2026-03-29 0400']],
    ['fires once in an hour that comes twice', '0 2,3 * * *', '2026-10-24T22:00Z', ['2026-10-25T00:00Z 2026-10-25 0200', '2026-10-25T02:00Z 2026-10-25 0300']],
    ['fires in both if it is hourly', '0 */2 * * *', '2026-10-24T23:00Z', ['2026-10-25T00:00Z 2026-10-25 0200', '2026-10-25T01:00Z 2026-10-25 0200b', '2026-10-25T03:00Z 2026-10-25 0400']],
    ['keeps to the open days of a calendar', '0 7 * * *', '2026-12-24T12:00Z', ['2026-12-28T06:00Z 2026-12-28 0700', '2026-12-29T06:00Z 2026-12-29 0700'], office],
    ['moves what falls on closed days', '0 7 25,31 * *', '2026-10-30T12:00Z', ['2026-11-02T06:00Z 2026-10-31 0700', '2026-11-25T06:00Z 2026-11-25 0700', '2026-12-28T06:00Z 2026-12-25 0700', '2026-12-31T06:00Z 2026-12-31 0700'], office],
    ['fires what it moved in the order of time, not of the days', '0 15,7 * * SAT,SUN', '2026-11-28T10:00Z', ['2026-11-30T06:00Z 2026-11-28 0700', '2026-11-30T14:00Z 2026-11-28 1500'], office],
  ])('%s', (_, cron, after, firings, more = {}) => {
    expect(fires(cron, after, firings.length, more)).toEqual(firings);
  }); // prettier-ignore

  it('gives templates its date, time, week and month', () => {
    const [firing] = nextFirings(timetable('5 7 * * *'), at('2026-11-24T00:00Z'), 1);
    expect(firing && labelsOf(firing)).toEqual({
      date: '2026-11-24',
      time: '0705',
      week: '2026-W48',
      month: '2026-11',
    });
    const weeks = ['2026-12-31', '2027-01-01', '2027-01-04', '2024-12-30', '2023-01-01'].map(
      (date) => labelsOf({ nominal: at(`${date}T00:00Z`), offset: 0, instant: 0, isSecond: false }).week,
    );
    expect(weeks).toEqual(['2026-W53', '2026-W53', '2027-W01', '2025-W01', '2022-W52']);
  });

  // Rule: what is counted is the days that are open, not each minute of a year between them.
  it('skips closed days and years of firings in little time', () => {
    const yearly = Array.from({ length: 365 }, (_, day) => iso(day * 86_400_000).slice(5, 10));
    const calendar = calendarOf({ hours: { 'mon-sun': '09:00-10:00' }, holidays: yearly.slice(1) });
    const each = timetable('* * * * *');
    let looks = 0;
    const cron = new Proxy(each.cron, { get: (of, key) => ((looks += 1), Reflect.get(of, key) as unknown) });
    const [first] = nextFirings({ ...each, cron, calendar }, at('2026-01-02T00:00Z'), 1);
    expect(iso(first?.instant ?? 0)).toBe('2026-12-31T23:00:00.000Z');
    expect(looks).toBeLessThan(100 * 1440);
    looks = 0;
    const last = lastFiringBetween({ ...each, cron }, at('2020-01-01T00:00Z'), at('2026-01-01T00:00Z'));
    expect(iso(last?.instant ?? 0)).toBe('2026-01-01T00:00:00.000Z');
    expect(looks).toBeLessThan(100 * 1440);
  });

  it('finds the last missed firing', () => {
    const last = (from: string, to: string): string | undefined => {
      const firing = lastFiringBetween(timetable('0 7,15 * * *'), at(from), at(to));
      return firing && iso(firing.instant);
    };
    expect(last('2026-11-23T06:00Z', '2026-11-24T06:00Z')).toBe('2026-11-24T06:00:00.000Z');
    expect(last('2026-11-23T06:00Z', '2026-11-24T05:59Z')).toBe('2026-11-23T14:00:00.000Z');
    expect(last('2026-11-24T06:00Z', '2026-11-24T13:00Z')).toBeUndefined();
  });
});
