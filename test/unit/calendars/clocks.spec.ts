import fc from 'fast-check';
import {
  type Clock,
  type ClockEvent,
  type ClockRow,
  isFromEnd,
  parseRungAt,
  type Rung,
} from '../../../src/automation/clocks/clock.js';
import { consumedOf, endOf, isOverdue } from '../../../src/automation/clocks/clock-time.js';
import { whyClock } from '../../../src/automation/clocks/clock-why.js';
import { foldDefinition, foldEvents } from '../../../src/automation/clocks/fold-clock.js';
import { nextDue, rungsDue, withRungsDone } from '../../../src/automation/clocks/rungs.js';
import { english } from '../../../src/common/message.js';
import { momentOf } from '../../../src/workflows/time/zone.js';
import { at, calendarOf, duration, iso, parsed } from './support.js';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;

const rung = (id: string): Rung => ({ id, at: parsed(parseRungAt(id)) });

/** The clock of the contract's example. */
const review: Clock = {
  id: 'review',
  calendar: calendarOf(),
  runs: 'from_stages',
  stages: new Set(['In Review']),
  pauses: new Set(['Waiting']),
  stops: new Set(['Approved', 'Rejected']),
  budget: {
    of: new Map([
      ['High', duration('4 working_hours')],
      ['Slow', duration('3 working_days')],
    ]),
    else: duration('16 working_hours'),
  },
  rungs: [rung('50%'), rung('100%'), rung('100% + 8 working_hours'), rung('100% + 16 working_hours')],
  again: 'restart',
};
const close: Clock = {
  ...review,
  id: 'close',
  runs: 'until_field',
  stages: new Set(),
  budget: { of: new Map(), else: null },
  rungs: [rung('-2 days'), rung('-1 day'), rung('100%'), rung('+1 working_day')],
};

/** What happens to a task: its time, its stage, what its fields hold. */
interface Step {
  readonly at: string;
  readonly stage?: string | null;
  readonly value?: string;
  readonly moment?: string | null;
}

/** The events of a task, one after another; what a step leaves out stays as it was. */
function story(steps: readonly Step[]): ClockEvent[] {
  let before = { stage: null as string | null, value: null as string | null, moment: null as string | null };
  return steps.map(({ at: time, ...change }, index) => {
    const from = before.stage;
    before = { ...before, ...change };
    const { stage: to, value: budgetValue, moment } = before;
    return {
      ...{ at: at(time), version: index + 1, stage: { from, to }, budgetValue },
      moment: moment === null ? null : at(moment),
    };
  });
}

function after(clock: Clock, steps: readonly Step[], before: ClockRow | null = null): ClockRow {
  const row = foldEvents(clock, before, story(steps)).at(-1);
  if (!row) throw new Error('no row');
  return row;
}

/** What a row of a clock says at an instant. */
function shown(clock: Clock, row: ClockRow, now: string) {
  const [end, next] = [endOf(clock, row), nextDue(clock, row)];
  const minute = (instant: number): string => iso(instant).slice(0, 16);
  return {
    state: row.state,
    visit: row.visit,
    end: end === null ? undefined : minute(end),
    next: next ? `${next.rung.id} ${minute(next.dueAt)}` : undefined,
    due: rungsDue(clock, row, at(now), WEEK).map(
      ({ rung: { id }, dueAt, kind }) => `${kind} ${id} ${minute(dueAt)}`,
    ),
    hours: consumedOf(clock, row, 'working', at(now)) / HOUR,
    isOverdue: isOverdue(clock, row, at(now)),
  };
}
type Shown = ReturnType<typeof shown>;

/** A row of which everything was done that was due. */
const fired = (clock: Clock, row: ClockRow, now: string): ClockRow =>
  withRungsDone(row, rungsDue(clock, row, at(now), WEEK));

describe('a rung', () => {
  it.each([
    ['50%', { percent: 50 }, false],
    ['100%', { percent: 100 }, true],
    ['100% + 8 working_hours', { from: 'end', after: duration('8 working_hours') }, true],
    ['+1 day', { from: 'end', after: duration('1 day') }, true],
    ['-2 days', { from: 'end', after: { amount: -2, unit: 'days' } }, true],
    ['2 hours', { from: 'start', after: duration('2 hours') }, false],
  ])('is a share, or a duration from the start or the end: %s', (text, expected, isFromItsEnd) => {
    const rungAt = parsed(parseRungAt(text));
    expect([rungAt, isFromEnd(rungAt)]).toEqual([expected, isFromItsEnd]);
  });

  it.each([
    ['150%', 'is not 1% to 100%: 150%; a later time is 100% + a duration, such as 100% + 2 hours'],
    [
      '50% + 2 hours',
      'is not a time such as 50%, 100%, 100% + 2 hours, 2 hours, -2 days or +2 days: 50% + 2 hours',
    ],
    ['soon', 'is not a duration such as 4 working_hours or 3 days: soon'],
  ])('is refused: %s', (text, message) => {
    expect(parseRungAt(text).refusals).toEqual([{ path: [], message }]);
  });
});

// Tuesday 24 November 2026, 09:00 in Berlin; 7.5 hours of work a day, 6 on Fridays.
const begun: Step = { at: '2026-11-24T08:00Z', stage: 'In Review', value: 'Low' };
const enter = (stage: string | null, time: string): Step => ({ at: `2026-11-${time}Z`, stage });
const inStages: Clock = {
  ...review,
  runs: 'in_stages',
  stages: new Set(['In Review', 'Second Look']),
  stops: new Set(),
};
const ofField: Clock = { ...review, runs: 'from_field', stages: new Set() };
const noneElse: Clock = { ...review, budget: { ...review.budget, else: null } };
const received = { at: '2026-11-24T10:00Z', stage: 'New', moment: '2026-11-19T23:00Z' };
const slow: Step = { ...begun, value: 'Slow' };

describe('a clock', () => {
  // Rules: stop beats pause beats start; the outcome follows from the times of the events.
  it.each<[string, Clock, Step[], string, Partial<Shown>]>([
    ['begins in a stage, and is due when its budget is consumed', review, [enter('New', '23T08:00'), begun], '30T10:00', { state: 'running', visit: 2, end: '2026-11-26T09:00', next: '50% 2026-11-25T08:30', due: ['fire 50% 2026-11-25T08:30', 'fire 100% 2026-11-26T09:00', 'fire 100% + 8 working_hours 2026-11-27T09:30'], isOverdue: true }],
    ['goes on in any other stage', review, [begun, enter('Elsewhere', '24T10:00')], '24T10:00', { state: 'running' }],
    ['stands still in a stage that pauses it, and has no end there', review, [begun, enter('Waiting', '24T10:00')], '24T10:00', { state: 'paused', end: undefined, next: undefined }],
    ['goes on after a pause when a stage that starts it is entered', review, [begun, enter('Waiting', '24T10:00'), enter('In Review', '25T10:00')], '25T11:00', { state: 'running', visit: 1, hours: 3, end: '2026-11-27T09:00' }],
    ['still owes what was due before a pause', review, [begun, enter('Waiting', '25T09:00')], '25T10:00', { next: '50% 2026-11-25T08:30', due: ['fire 50% 2026-11-25T08:30'] }],
    ['is met by an event at its end', review, [begun, enter('Approved', '26T09:00')], '30T09:00', { state: 'met', next: undefined }],
    ['is breached by a later event; what had not fired is skipped', review, [begun, enter('Approved', '26T09:01')], '30T09:00', { state: 'breached', due: ['skipped 50% 2026-11-25T08:30', 'skipped 100% 2026-11-26T09:00'], isOverdue: false }],
    ['is cancelled with its task', review, [begun, enter(null, '26T09:00')], '26T09:00', { state: 'cancelled' }],
    ['begins anew when its stage is entered again', review, [begun, enter('Approved', '24T10:00'), enter('In Review', '25T08:00')], '25T09:00', { state: 'running', visit: 3, hours: 1 }],
    ['or goes on, by `again: continue`', { ...review, again: 'continue' }, [begun, enter('Approved', '24T10:00'), enter('In Review', '25T08:00')], '25T09:00', { state: 'running', visit: 1, hours: 3 }],
    ['that runs in stages only goes on in each of them', inStages, [begun, enter('Second Look', '24T10:00')], '24T10:00', { state: 'running', visit: 1 }],
    ['is met on leaving them before its end', inStages, [begun, enter('Elsewhere', '24T10:00')], '24T10:00', { state: 'met' }],
    ['is breached on leaving them after it', inStages, [begun, enter('Elsewhere', '27T10:00')], '27T10:00', { state: 'breached' }],
    ['keeps what was consumed when its budget changes', review, [begun, { at: '2026-11-24T10:00Z', value: 'High' }], '24T11:00', { end: '2026-11-24T13:00', hours: 3 }],
    ['fires only the last of what a shorter budget puts into the past', review, [begun, { at: '2026-11-24T15:30Z', value: 'High' }], '24T15:31', { due: ['fire 100% 2026-11-24T13:00'] }],
    ['counts days that closed while it ran; half of three is two', review, [begun, { at: '2026-11-25T10:00Z', value: 'Slow' }], '25T10:00', { end: '2026-11-27T14:00', next: '50% 2026-11-26T16:30' }],
    ['and not those that closed in a pause', review, [slow, enter('Waiting', '25T10:00'), enter('In Review', '26T07:00')], '26T10:00', { end: '2026-11-30T16:30' }],
    ['is none while its field has no budget', noneElse, [begun], '24T10:00', { state: 'cancelled', end: undefined, next: undefined }],
    ['begins when its field gets one', noneElse, [begun, { at: '2026-11-24T10:00Z', value: 'High' }], '24T10:00', { state: 'running', end: '2026-11-24T13:00' }],
    ['may begin at an instant that a field names; of what is past then the last fires', ofField, [received], '24T11:00', { end: '2026-11-24T10:30', due: ['fire 50% 2026-11-23T10:00', 'fire 100% 2026-11-24T10:30'] }],
    ['is counted anew when that moves', ofField, [received, { at: '2026-11-24T10:10Z', moment: '2026-11-24T08:00Z' }], '24T11:00', { end: '2026-11-26T09:00', next: '50% 2026-11-25T08:30' }],
    ['waits for an instant to come, also through a pause', ofField, [{ ...received, moment: '2026-12-01T08:00Z' }, enter('Waiting', '25T10:00'), { at: '2026-12-01T10:00Z', stage: 'New' }], '30T10:00', { state: 'running' }],
    ['is cancelled when the field is blanked', ofField, [received, { at: '2026-11-24T10:10Z', moment: null }], '24T11:00', { state: 'cancelled' }],
  ])('%s', (_, clock, steps, now, expected) => {
    expect(shown(clock, after(clock, steps), `2026-11-${now}Z`)).toMatchObject(expected);
  }); // prettier-ignore

  it('fires each rung once; one that is late by more than the limit is missed', () => {
    const row = after(review, [begun]);
    const later = fired(review, row, '2026-11-30T10:00Z');
    const next = '100% + 16 working_hours 2026-11-30T11:30';
    expect(shown(review, later, '2026-11-30T10:00Z')).toMatchObject({ due: [], next });
    const missed = ['missed 50% 2026-11-25T08:30', 'fire 100% 2026-11-26T09:00'];
    expect(shown(review, row, '2026-12-03T09:00Z').due.slice(0, 2)).toEqual(missed);
  });

  it('never fires a rung again that fired under a shorter budget', () => {
    const steps: Step[] = [
      { ...begun, value: 'High' },
      { at: '2026-11-24T15:00Z', value: 'Low' },
    ];
    const short = fired(review, after(review, steps.slice(0, 1)), '2026-11-24T14:00Z');
    expect(shown(review, after(review, steps, short), '2026-11-24T15:00Z')).toMatchObject({
      end: '2026-11-26T09:00',
      next: '100% + 8 working_hours 2026-11-27T09:30',
    });
  });

  it('counts the day in which the pause begins at closing time', () => {
    const row = after(review, [begun, enter('Waiting', '25T16:30')]);
    expect(consumedOf(review, row, 'working_days', at('2026-11-26T10:00Z'))).toBe(1);
  });

  describe('under another definition', () => {
    const hours = { 'mon-sun': '00:00-24:00' };
    const night: Clock = { ...review, calendar: calendarOf({ id: 'all', hours, holidays: [] }) };
    const row = after(review, [begun]);
    const options = { at: at('2026-11-24T10:00Z'), budgetValue: 'Low', moment: null };

    it('keeps the time that was consumed under another calendar', () => {
      const next = foldDefinition(review, night, row, options);
      expect(shown(night, next, '2026-11-24T17:00Z')).toMatchObject({ end: '2026-11-25T00:00', hours: 9 });
    });

    it('does not fire rungs that are overdue from the start', () => {
      const tight: Clock = { ...review, budget: { of: new Map(), else: duration('1 working_hour') } };
      const next = foldDefinition(review, tight, row, options);
      expect(shown(tight, next, '2026-11-24T10:01Z').due).toEqual([]);
      const again = foldDefinition(tight, review, next, { ...options, at: at('2026-11-24T11:00Z') });
      for (const instant of ['2026-11-24T11:01Z', '2026-12-01T10:00Z'])
        expect(shown(review, again, instant)).toEqual(shown(review, row, instant));
    });

    it('keeps its end when it is overdue, whatever changes', () => {
      const overdue = { ...options, at: at('2026-12-24T10:00Z') };
      for (const next of [review, night, { ...review, rungs: [] }])
        expect(endOf(next, foldDefinition(review, next, row, overdue))).toBe(endOf(review, row));
    });
  });

  it('keeps the last 100 pauses, and the time consumed before these', () => {
    const steps = Array.from({ length: 200 }, (_, n): Step => {
      const time = iso(at('2026-11-24T08:01Z') + n * 60_000);
      return { at: time, stage: n % 2 === 0 ? 'Waiting' : 'In Review' };
    });
    const row = after(review, [begun, ...steps, enter('Waiting', '24T12:00')]);
    expect(row.pauses).toHaveLength(100);
    expect(consumedOf(review, row, 'working', at('2026-11-25T08:00Z'))).toBe(110 * 60_000);
  });
});

describe('a clock until a day', () => {
  const dated: Step = { at: '2026-11-16T09:00Z', stage: 'New', moment: '2026-11-20T16:00Z' };
  const moved: Step = { at: '2026-11-19T17:00Z', moment: '2026-11-27T16:00Z' };

  it.each<[string, Step[], string, Partial<Shown>]>([
    ['is due at its field, in pauses too, and counts back from there', [dated, enter('Waiting', '17T09:00')], '24T09:00', { state: 'paused', end: '2026-11-20T16:00', next: '-2 days 2026-11-18T16:00', due: ['fire -2 days 2026-11-18T16:00', 'fire -1 day 2026-11-19T16:00', 'fire 100% 2026-11-20T16:00', 'fire +1 working_day 2026-11-23T16:30'] }],
    // A worker that was down does not tell of a day that is no longer meant.
    ['does not fire what a later event has put ahead', [dated, moved], '20T09:00', { due: [] }],
    ['fires the last rung of those that are past when it begins', [{ at: '2026-11-24T09:00Z', stage: 'New', moment: '2025-01-31T16:00Z' }], '24T10:00', { due: ['fire +1 working_day 2025-02-03T16:30'], isOverdue: true }],
    ['also where others are to come', [{ at: '2026-11-24T09:00Z', stage: 'New', moment: '2026-11-25T10:00Z' }], '24T09:00', { due: ['fire -2 days 2026-11-23T10:00'] }],
    ['begins when its field is filled in', [{ at: '2026-11-15T09:00Z', stage: 'New' }, dated], '16T09:00', { visit: 2 }],
  ])('%s', (_, steps, now, expected) => {
    expect(shown(close, after(close, steps), `2026-11-${now}Z`)).toMatchObject(expected);
  }); // prettier-ignore

  // Rule: where the field moves, those that lie ahead fire again; of those newly past only the last fires.
  it('fires again if the day moves to the future, and never twice for one day', () => {
    const steps = [dated, moved, { at: '2026-11-23T09:00Z', moment: '2026-11-23T08:00Z' }];
    const first = fired(close, after(close, steps.slice(0, 1)), '2026-11-19T16:30Z');
    const second = after(close, steps.slice(0, 2), first);
    expect(shown(close, second, '2026-11-19T17:00Z').next).toBe('-2 days 2026-11-25T16:00');
    const due = ['fire 100% 2026-11-23T08:00'];
    expect(shown(close, after(close, steps, second), '2026-11-23T10:00Z').due).toEqual(due);
    const past = after(close, [{ at: '2026-11-24T09:00Z', stage: 'New', moment: '2025-01-31T16:00Z' }]);
    const done = fired(close, past, '2026-11-24T10:00Z');
    expect(shown(close, done, '2026-11-25T10:00Z')).toMatchObject({ due: [], next: undefined });
  });

  it.each([
    ['00:00', '2026-11-19T23:00:00.000Z'],
    ['17:00', '2026-11-20T16:00:00.000Z'],
    ['24:00', '2026-11-20T23:00:00.000Z'],
  ] as const)('is at %s of the day, in local time', (time, instant) => {
    expect(iso(momentOf(close.calendar.zone, '2026-11-20', time))).toBe(instant);
  });
});

describe('the explanation of a clock is a sentence', () => {
  const paused = [
    { at: '2026-11-23T12:55Z', stage: 'In Review', value: 'Low' },
    enter('Waiting', '23T14:25'),
    enter('In Review', '23T16:30'),
  ];
  const dated = { at: '2026-11-16T09:00Z', stage: 'New', moment: '2026-11-27T16:00Z' };
  it.each<[string, Clock, string, Step[]]>([
    ['due Wed 25 Nov 17:00 office time: 11 h of work left; paused 2 h 5 min in Waiting', review, '2026-11-24T11:30Z', paused],
    ['due Fri 27 Nov 15:00 office time: 2 working days left', review, '2026-11-25T17:00Z', [slow]],
    ['was due Fri 27 Nov 2026 15:00 office time: 24 working days over', review, '2027-01-04T10:00Z', [slow]],
    ['paused: 3 working days left; paused 30 min in Waiting', review, '2026-11-24T09:00Z', [slow, enter('Waiting', '24T08:30')]],
    ['met Tue 24 Nov 09:30', review, '2026-11-24T09:00Z', [slow, enter('Approved', '24T08:30')]],
    ['due Fri 27 Nov 17:00 office time', close, '2026-11-24T09:00Z', [dated]],
  ])('%s', (sentence, clock, now, steps) => {
    expect(english(whyClock(clock, after(clock, steps), at(now)))).toBe(sentence);
  }); // prettier-ignore
});

const anyStep = fc.record({
  minutes: fc.integer({ min: 0, max: 3000 }),
  stage: fc.option(fc.constantFrom('New', 'In Review', 'Waiting', 'Approved'), { nil: undefined }),
  value: fc.option(fc.constantFrom('High', 'Low', 'Slow', 'None'), { nil: undefined }),
  moment: fc.option(fc.constantFrom(null, '2026-11-24T16:00Z', '2026-11-30T16:00Z', '2026-12-02T08:00Z'), {
    nil: undefined,
  }),
});
const anyStory = fc.array(anyStep, { minLength: 1, maxLength: 15 }).map((steps) => {
  let time = at('2026-11-23T08:00Z');
  return story(
    steps.map(({ minutes, stage, value, moment }, index) => {
      time += minutes * 60_000;
      const named = stage ?? (index === 0 ? 'New' : undefined);
      return {
        at: iso(time),
        ...{
          ...(named && { stage: named }),
          ...(value && { value }),
          ...(moment !== undefined && { moment }),
        },
      };
    }),
  );
});
const anyClock: fc.Arbitrary<Clock> = fc
  .record({
    runs: fc.constantFrom('from_stages', 'in_stages', 'from_field', 'until_field'),
    again: fc.constantFrom('restart', 'continue'),
    isNone: fc.boolean(),
  })
  .map(({ runs, again, isNone }) => ({
    ...(runs === 'until_field' ? close : review),
    runs,
    again,
    ...(isNone && { budget: { ...review.budget, else: null } }),
  }));

describe('a follower and a firing', () => {
  // Rule: any interleaving of follower and firing gives the same rows.
  it('leave the same rows in any order', () => {
    const firings = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 6 });
    const follower = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 10 });
    fc.assert(
      fc.property(anyClock, anyStory, firings, follower, (clock, events, times, turns) => {
        const instant = (minutes: number): number => at('2026-11-23T08:00Z') + minutes * 60_000;
        const run = (turnsOfFollower: readonly number[]): unknown => {
          let rows: ClockRow[] = [];
          const fold = (now: number): void => {
            const known = events.filter((event) => event.at <= now);
            rows = [...rows.slice(0, -1), ...foldEvents(clock, rows.at(-1) ?? null, known)];
          };
          const log: string[] = [];
          const all = [
            ...times.map((time) => ({ time, fires: true })),
            ...turnsOfFollower.map((time) => ({ time, fires: false })),
          ];
          for (const { time, fires } of all.sort(
            (one, other) => one.time - other.time || Number(one.fires) - Number(other.fires),
          )) {
            const now = instant(time);
            fold(now);
            const last = rows.at(-1);
            if (!fires || !last) continue;
            const due = rungsDue(clock, last, now, WEEK);
            log.push(
              ...due.map(({ rung: { id }, kind, dueAt }) => `${last.visit} ${kind} ${id} ${iso(dueAt)}`),
            );
            rows = [...rows.slice(0, -1), withRungsDone(last, due)];
          }
          fold(Infinity);
          return { rows, log };
        };
        expect(run(turns)).toEqual(run([]));
      }),
    );
  });

  it('fire each rung once, in order, and never after the end of the clock', () => {
    fc.assert(
      fc.property(anyClock, anyStory, (clock, events) => {
        for (const row of foldEvents(clock, null, events)) {
          const later = at('2027-03-01T00:00Z');
          const due = rungsDue(clock, row, later, Infinity);
          expect(due.map(({ dueAt }) => dueAt)).toEqual(
            due.map(({ dueAt }) => dueAt).sort((one, other) => one - other),
          );
          expect(
            due.every(
              ({ dueAt, kind }) => row.endedAt === null || (kind === 'skipped' && dueAt <= row.endedAt),
            ),
          ).toBe(true);
          expect(rungsDue(clock, withRungsDone(row, due), later, Infinity)).toEqual([]);
          expect(nextDue(clock, row)?.dueAt).toBe(
            row.endedAt === null ? (due[0]?.dueAt ?? nextDue(clock, row)?.dueAt) : undefined,
          );
        }
      }),
    );
  });
});
