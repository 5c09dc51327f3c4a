import fc from 'fast-check';
import { type CalendarSource } from '../../../src/workflows/time/parse-calendar.js';
import { addTo } from '../../../src/workflows/time/working-time.js';
import { dayText, timezoneFault, zoneOf } from '../../../src/workflows/time/zone.js';
import { parseCron } from '../../../src/workflows/time/cron.js';
import { type Firing, lastFiringBetween, nextFirings } from '../../../src/workflows/time/firings.js';
import { at, calendarOf, parsed, timeBetween } from '../../unit/calendars/support.js';
import { dateBefore, wallTime } from '../../unit/calendars/wall-clock.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Changes of the clock, of which half of the cases are near. */
const changes: readonly (readonly [zone: string, time: string])[] = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['America/Santiago', '2026-04-05T03:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00Z'],
  ['America/St_Johns', '2026-11-01T04:30Z'],
  ['America/Havana', '2026-11-01T05:00Z'],
];

const anyMinute = fc.integer({
  min: at('2005-01-01T00:00Z') / MINUTE,
  max: at('2035-01-01T00:00Z') / MINUTE,
});
const anyPlace = fc.oneof(
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -4 * 1440, max: 1440 }))
    .map(([[zone, time], near]) => ({
      zone,
      from: at(time) + near * MINUTE,
    })),
  fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Asia/Tehran', 'UTC'),
    from: anyMinute.map((minute) => minute * MINUTE),
  }),
);

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const hours = (from: number, to: number): string => `${clock(from)}-${clock(to)}`;
const daytime: fc.Arbitrary<string[]> = fc
  .uniqueArray(fc.integer({ min: 5 * 60, max: 22 * 60 }), { minLength: 2, maxLength: 6 })
  .map((minutes) => minutes.sort((one, other) => one - other))
  .map((minutes) =>
    minutes.flatMap((from, index) =>
      index % 2 === 0 && minutes[index + 1] ? [hours(from, minutes[index + 1] ?? 0)] : [],
    ),
  );
const early = fc.integer({ min: 1, max: 5 * 60 }).map((to) => [hours(0, to)]);
const night = fc
  .tuple(fc.integer({ min: 22 * 60 + 1, max: 1439 }), fc.integer({ min: 0, max: 5 * 60 }))
  .map(([from, to]) => hours(from, to));
const anyDay: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 3, arbitrary: daytime },
  fc.constant<string[]>([]),
  {
    weight: 2,
    arbitrary: fc.tuple(daytime, night).map(([some, last]) => [...some, last]),
  },
);
const anyWeek: fc.Arbitrary<string[][]> = fc.oneof(
  fc
    .tuple(anyDay, anyDay, anyDay, anyDay, anyDay, anyDay, anyDay)
    .filter((week) => week.some((day) => day.length > 0)),
  fc.oneof(early, fc.constant<string[]>(['00:00-24:00'])).map((day) => days.map(() => day)),
);

const anyCase = fc
  .record({
    place: anyPlace,
    week: anyWeek,
    closed: fc.array(fc.integer({ min: -2, max: 6 }), { maxLength: 2 }),
    minutes: fc.integer({ min: 1, max: 3 * 1440 }),
  })
  .map(({ place, week, closed, minutes }) => ({
    from: place.from,
    minutes,
    source: {
      id: 'any',
      timezone: place.zone,
      hours: Object.fromEntries(week.map((day, index) => [days[index], day])),
      holidays: closed.map((after) => dayText(Math.floor(place.from / DAY) + after)),
    },
  }));

/** The working day that a minute belongs to by what the wall shows, if it is one of work. */
function openDay(
  { timezone, hours: week, holidays = [] }: CalendarSource,
  instant: number,
): string | undefined {
  const { date, weekday, minuteOfDay } = wallTime(timezone, instant);
  const before = dateBefore(date);
  const isIn = (name: string | undefined, minute: number): boolean =>
    [week[name ?? ''] ?? []].flat().some((text) => {
      const [from = 0, to = 0] = text
        .split('-')
        .map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
      return minute >= from && minute < (to <= from ? to + 1440 : to);
    });
  if (!holidays.includes(date) && isIn(days[weekday], minuteOfDay)) return date;
  if (!holidays.includes(before) && isIn(days[(weekday + 6) % 7], minuteOfDay + 1440)) return before;
  return undefined;
}

function workedMinutes(source: CalendarSource, from: number, to: number): number {
  let minutes = 0;
  for (let now = from; now < to; now += MINUTE) if (openDay(source, now) !== undefined) minutes += 1;
  return minutes;
}

/** When each day closes, of those that have a minute of work between two instants. */
function closings(source: CalendarSource, from: number, to: number): Map<string, number> {
  const ends = new Map<string, number>();
  for (let now = from; now < to; now += MINUTE) {
    const day = openDay(source, now);
    if (day !== undefined) ends.set(day, now + MINUTE);
  }
  return ends;
}

describe('working time, counted minute by minute with Intl', () => {
  // Rule: between(t, add(t, w)) = w.
  it('is what lies between an instant and the one that much later', () => {
    fc.assert(
      fc.property(anyCase, ({ source, from, minutes }) => {
        const calendar = calendarOf(source);
        const to = addTo(calendar, from, { amount: minutes, unit: 'working_minutes' });
        expect(timeBetween(calendar, 'working', from, to)).toBe(minutes * MINUTE);
        // The last minute is one of work, so that it ends as early as it can.
        expect(openDay(source, to - MINUTE)).toBeDefined();
        const back = addTo(calendar, from, { amount: -minutes, unit: 'working_minutes' });
        expect(timeBetween(calendar, 'working', back, from)).toBe(minutes * MINUTE);
        expect(openDay(source, back)).toBeDefined();
      }),
    );
  });

  it('is as many minutes as the wall shows', () => {
    fc.assert(
      fc.property(anyCase, ({ source, from, minutes }) => {
        const to = from + minutes * MINUTE;
        expect(timeBetween(calendarOf(source), 'working', from, to) / MINUTE).toBe(
          workedMinutes(source, from, to),
        );
      }),
    );
  });

  // Rule: the day of the start does not count; it is due at the closing of the n-th.
  it('has as many working days as close by the wall', () => {
    fc.assert(
      fc.property(anyCase, ({ source, from, minutes }) => {
        const calendar = calendarOf(source);
        const to = from + minutes * MINUTE;
        const ends = closings(source, from - 2 * DAY, to + 2 * DAY);
        const { date } = wallTime(source.timezone, from);
        const isNight = from < (ends.get(dateBefore(date)) ?? 0);
        const start = isNight ? dateBefore(date) : date;
        const counted = [...ends].filter(([day, end]) => day > start && end > from && end <= to);
        expect(timeBetween(calendar, 'working_days', from, to)).toBe(counted.length);
        const last = counted
          .map(([, end]) => end)
          .sort((one, other) => one - other)
          .at(-1);
        const after = { amount: counted.length, unit: 'working_days' } as const;
        if (last !== undefined) expect(addTo(calendar, from, after)).toBe(last);
      }),
    );
  });
});

describe('days, by what the wall shows', () => {
  it('keep the local time of day, where there is that time', () => {
    fc.assert(
      fc.property(anyPlace, fc.integer({ min: 1, max: 400 }), ({ zone, from }, count) => {
        const calendar = calendarOf({ timezone: zone });
        const to = addTo(calendar, from, { amount: count, unit: 'days' });
        const [before, after] = [wallTime(zone, from), wallTime(zone, to)];
        const date = new Date(Date.parse(before.date) + count * DAY).toISOString().slice(0, 10);
        // The clock is set forward by a day at most, and the first of two equal times is taken.
        const later =
          (Date.parse(after.date) - Date.parse(date)) / MINUTE + after.minuteOfDay - before.minuteOfDay;
        expect(later).toBeGreaterThanOrEqual(0);
        if (later > 0)
          expect(wallTime(zone, to - later * MINUTE)).not.toMatchObject({
            date,
            minuteOfDay: before.minuteOfDay,
          });
        if (later === 0)
          for (const shift of [30, 60]) {
            const earlier = wallTime(zone, to - shift * MINUTE);
            expect({ ...earlier }).not.toEqual({ ...after });
          }
      }),
    );
  });

  it('know a zone by any name that Node.js knows', () => {
    for (const zone of [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Asia/Calcutta', 'europe/berlin'])
      expect(timezoneFault(zone)).toBeUndefined();
  });
});

const field = (least: number, most: number): fc.Arbitrary<string> => {
  const one = fc.integer({ min: least, max: most });
  const range = fc.tuple(one, one).map(([from, to]) => `${Math.min(from, to)}-${Math.max(from, to)}`);
  return fc.oneof(
    one.map(String),
    fc.constant('*'),
    range,
    fc.integer({ min: 1, max: most }).map((step) => `*/${step}`),
    fc.tuple(range, fc.integer({ min: 1, max: 9 })).map(([some, step]) => `${some}/${step}`),
    fc.uniqueArray(one, { minLength: 1, maxLength: 4 }).map((several) => several.join(',')),
  );
};
const anyCron = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), fc.constantFrom('0', '1', '2', '23', '0,1,2,3', '1-3')),
    fc.constantFrom(
      ['*', '*'],
      ['*', '*'],
      ['28-31', '*'],
      ['*/2', '*'],
      ['*', '0'],
      ['*', '1-5'],
      ['*', '6,7'],
      ['*', '5-7/2'],
    ),
  )
  .map(([minute, hour, [day, weekday]]) => ({ minute, hour, day, weekday }));

/** Whether a place of a cron expression takes a number: read anew here, by trying. */
function takes(text: string, number: number, least: number, most: number): boolean {
  return text.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = least, to = from] = range === '*' ? [least, most] : range.split('-').map(Number);
    return number >= from && number <= to && (number - from) % Number(step) === 0;
  });
}

type AnyCron = { minute: string; hour: string; day: string; weekday: string };

function fires(
  cron: AnyCron,
  { minute, hour, day, weekday }: { minute: number; hour: number; day: number; weekday: number },
): boolean {
  return (
    takes(cron.minute, minute, 0, 59) &&
    takes(cron.hour, hour, 0, 23) &&
    takes(cron.day, day, 1, 31) &&
    (takes(cron.weekday, weekday, 0, 7) || (weekday === 0 && takes(cron.weekday, 7, 0, 7)))
  );
}

/** Firings between two instants, by looking at the wall every minute. */
function lookedUp(
  cron: AnyCron,
  zone: string,
  after: number,
  to: number,
): { instant: number; isSecond: boolean }[] {
  const shown = (instant: number): number => {
    const { date, minuteOfDay } = wallTime(zone, instant);
    return Date.parse(date) / MINUTE + minuteOfDay;
  };
  const found: { instant: number; isSecond: boolean }[] = [];
  const isHourly = /^\*(\/|$)/.test(cron.hour);
  let latest = shown(after - DAY);
  for (let now = after - DAY; now <= to; now += MINUTE) {
    const local = shown(now);
    const isSecond = local <= latest && now > after - DAY;
    let isMissed = false;
    for (let missed = latest + 1; missed < local; missed += 1) {
      const date = new Date(missed * MINUTE);
      const wall = {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        weekday: date.getUTCDay(),
      };
      isMissed ||= fires(cron, wall);
    }
    const isNamed = fires(cron, wallTime(zone, now)) && (isHourly || !isSecond);
    if (now > after && (isMissed || isNamed)) found.push({ instant: now, isSecond });
    latest = Math.max(latest, local);
  }
  return found;
}

describe('cron, looked up minute by minute with Intl', () => {
  // Rule: in the hour that does not exist it fires once, right after; in the hour that comes twice once, hourly ones in both.
  it('fires when the wall says so', () => {
    fc.assert(
      fc.property(anyCron, anyPlace, ({ ...cron }, { zone, from }) => {
        const to = from + 2 * DAY;
        const expression = `${cron.minute} ${cron.hour} ${cron.day} * ${cron.weekday}`;
        const timetable = { cron: parsed(parseCron(expression)), zone: zoneOf(zone) };
        const expected = lookedUp(cron, zone, from, to);
        const firings = nextFirings(timetable, from, expected.length + 1);
        const shown = ({ instant, isSecond }: Firing): unknown => ({ instant, isSecond });
        expect(firings.slice(0, expected.length).map(shown)).toEqual(expected);
        expect(firings.at(-1)?.instant).toBeGreaterThan(to);
        expect(lastFiringBetween(timetable, from, to)?.instant).toBe(expected.at(-1)?.instant);
      }),
    );
  });
});
