import fc from 'fast-check';
import {
  type Clock,
  type ClockEvent,
  type ClockRow,
  isFromEnd,
  momentOfDate,
  parseRungAt,
  type Rung,
} from '../../../src/automation/clocks/clock.js';
import { consumedOf, endOf, isOverdue } from '../../../src/automation/clocks/clock-time.js';
import { whyClock } from '../../../src/automation/clocks/clock-why.js';
import { foldDefinition, foldEvents } from '../../../src/automation/clocks/fold-clock.js';
import { nextDue, rungsDue, withRungsDone } from '../../../src/automation/clocks/rungs.js';
import { english } from '../../../src/common/message.js';
import { at, calendarOf, duration, iso, parsed } from './support.js';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;

const rung = (id: string, every?: string, times = 1): Rung => ({
  id,
  at: parsed(parseRungAt(id)),
  ...(every !== undefined && { repeat: { every: duration(every), times } }),
});

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
  rungs: [rung('50%'), rung('100%'), rung('100% + 8 working_hours', '8 working_hours', 3)],
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

/** What happens to a task, one thing after another: its time, its stage, what its fields hold. */
type Step = readonly [
  time: string,
  change: { stage?: string | null; value?: string | null; moment?: string | null },
];
function story(steps: readonly Step[]): ClockEvent[] {
  let stage: string | null = null;
  let value: string | null = null;
  let moment: string | null = null;
  return steps.map(([time, change], index) => {
    const from = stage;
    stage = change.stage === undefined ? stage : change.stage;
    value = change.value === undefined ? value : change.value;
    moment = change.moment === undefined ? moment : change.moment;
    return {
      at: at(time),
      version: index + 1,
      stage: { from, to: stage },
      budgetValue: value,
      moment: moment === null ? null : at(moment),
    };
  });
}

function rowAfter(clock: Clock, ...steps: Step[]): ClockRow {
  const row = foldEvents(clock, null, story(steps)).at(-1);
  if (!row) throw new Error('no row');
  return row;
}

const due = (clock: Clock, row: ClockRow, now: string): string[] =>
  rungsDue(clock, row, at(now), WEEK).map(
    ({ rung: { id }, dueAt, kind }) => `${kind} ${id} ${iso(dueAt).slice(0, 16)}`,
  );
const end = (clock: Clock, row: ClockRow): string | undefined => {
  const instant = endOf(clock, row);
  return instant === null ? undefined : iso(instant).slice(0, 16);
};
const next = (clock: Clock, row: ClockRow): string | undefined => {
  const found = nextDue(clock, row);
  return found ? `${found.rung.id} ${iso(found.dueAt).slice(0, 16)}` : undefined;
};

/** A row of which everything was done that was due. */
const fired = (clock: Clock, row: ClockRow, now: string): ClockRow =>
  withRungsDone(row, rungsDue(clock, row, at(now), WEEK));

describe('a rung', () => {
  it('is a share, or a duration from the start or the end', () => {
    expect(parsed(parseRungAt('50%'))).toEqual({ percent: 50 });
    expect(parsed(parseRungAt('100% + 8 working_hours'))).toEqual({
      from: 'end',
      after: duration('8 working_hours'),
    });
    expect(parsed(parseRungAt('+1 day'))).toEqual({ from: 'end', after: duration('1 day') });
    expect(parsed(parseRungAt('-2 days'))).toEqual({ from: 'end', after: { amount: -2, unit: 'days' } });
    expect(parsed(parseRungAt('2 hours'))).toEqual({ from: 'start', after: duration('2 hours') });
    expect(
      ['50%', '100%', '2 hours', '-2 days', '100% + 1 day'].map((text) =>
        isFromEnd(parsed(parseRungAt(text))),
      ),
    ).toEqual([false, true, false, true, true]);
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

describe('a clock', () => {
  // Tuesday 24 November 2026, 09:00 in Berlin; 7.5 hours of work a day, 6 on Fridays.
  const begun: Step = ['2026-11-24T08:00Z', { stage: 'In Review', value: 'Low' }];

  it('begins in a stage, and is due when its budget is consumed', () => {
    const row = rowAfter(review, ['2026-11-23T08:00Z', { stage: 'New' }], begun);
    expect(row).toMatchObject({
      visit: 2,
      taskVersion: 2,
      state: 'running',
      startedAt: at('2026-11-24T08:00Z'),
    });
    expect(end(review, row)).toBe('2026-11-26T09:00');
    expect(next(review, row)).toBe('50% 2026-11-25T08:30');
    expect(due(review, row, '2026-11-30T10:00Z')).toEqual([
      'fire 50% 2026-11-25T08:30',
      'fire 100% 2026-11-26T09:00',
      'fire 100% + 8 working_hours 2026-11-27T09:30',
    ]);
    const later = fired(review, row, '2026-11-30T10:00Z');
    expect(due(review, later, '2026-11-30T10:00Z')).toEqual([]);
    expect(next(review, later)).toBe('100% + 8 working_hours 2026-11-30T11:30');
  });

  it('is missed rather than late by more than the limit', () => {
    expect(due(review, rowAfter(review, begun), '2026-12-03T09:00Z').slice(0, 2)).toEqual([
      'missed 50% 2026-11-25T08:30',
      'fire 100% 2026-11-26T09:00',
    ]);
  });

  // Rule: stop beats pause beats start; entering a stage that starts it only ends a pause.
  it('stands still in a stage that pauses it, and has no end there', () => {
    const paused = rowAfter(review, begun, ['2026-11-24T10:00Z', { stage: 'Waiting' }]);
    expect(paused.state).toBe('paused');
    expect([end(review, paused), next(review, paused)]).toEqual([undefined, undefined]);
    const again = rowAfter(
      review,
      begun,
      ['2026-11-24T10:00Z', { stage: 'Waiting' }],
      ['2026-11-25T10:00Z', { stage: 'In Review' }],
    );
    expect(again).toMatchObject({ visit: 1, state: 'running' });
    expect(consumedOf(review, again, 'working', at('2026-11-25T11:00Z'))).toBe(3 * HOUR);
    expect(end(review, again)).toBe('2026-11-27T09:00');
    expect(rowAfter(review, begun, ['2026-11-24T10:00Z', { stage: 'Elsewhere' }]).state).toBe('running');
  });

  it('still owes what was due before a pause', () => {
    const row = rowAfter(review, begun, ['2026-11-25T09:00Z', { stage: 'Waiting' }]);
    expect(next(review, row)).toBe('50% 2026-11-25T08:30');
    expect(due(review, row, '2026-11-25T10:00Z')).toEqual(['fire 50% 2026-11-25T08:30']);
  });

  // Rule: the outcome follows from the times of the events; what was due and had not fired is skipped.
  it('is met or breached by the time of the event that stops it', () => {
    const met = rowAfter(review, begun, ['2026-11-26T09:00Z', { stage: 'Approved' }]);
    expect([met.state, next(review, met)]).toEqual(['met', undefined]);
    const breached = rowAfter(review, begun, ['2026-11-26T09:01Z', { stage: 'Approved' }]);
    expect(breached.state).toBe('breached');
    expect(due(review, breached, '2026-11-30T09:00Z')).toEqual([
      'skipped 50% 2026-11-25T08:30',
      'skipped 100% 2026-11-26T09:00',
    ]);
    expect(rowAfter(review, begun, ['2026-11-26T09:00Z', { stage: null }]).state).toBe('cancelled');
    expect([
      isOverdue(review, breached, at('2026-11-30T09:00Z')),
      isOverdue(review, rowAfter(review, begun), at('2026-11-30T09:00Z')),
    ]).toEqual([false, true]);
  });

  it('begins anew when its stage is entered again, or goes on', () => {
    const steps: Step[] = [
      begun,
      ['2026-11-24T10:00Z', { stage: 'Approved' }],
      ['2026-11-25T08:00Z', { stage: 'In Review' }],
    ];
    const [first, second] = foldEvents(review, null, story(steps));
    expect([first?.state, first?.visit, second?.state, second?.visit]).toEqual(['met', 1, 'running', 3]);
    const kept = rowAfter({ ...review, again: 'continue' }, ...steps);
    expect(kept).toMatchObject({ visit: 1, state: 'running', endedAt: null });
    expect(consumedOf(review, kept, 'working', at('2026-11-25T09:00Z'))).toBe(3 * HOUR);
  });

  // Rule: `while` runs in these stages only, and ends on leaving them: before its end met, after it breached.
  it('may run in stages only', () => {
    const clock: Clock = {
      ...review,
      runs: 'in_stages',
      stages: new Set(['In Review', 'Second Look']),
      stops: new Set(),
    };
    expect(rowAfter(clock, begun, ['2026-11-24T10:00Z', { stage: 'Second Look' }])).toMatchObject({
      visit: 1,
      state: 'running',
    });
    expect(rowAfter(clock, begun, ['2026-11-24T10:00Z', { stage: 'Elsewhere' }]).state).toBe('met');
    expect(rowAfter(clock, begun, ['2026-11-27T10:00Z', { stage: 'Elsewhere' }]).state).toBe('breached');
  });

  // Rule: the budget's field changes, and consumed stays; rungs that fired never fire again.
  it('keeps what was consumed when its budget changes', () => {
    const shorter = rowAfter(review, begun, ['2026-11-24T10:00Z', { value: 'High' }]);
    expect(end(review, shorter)).toBe('2026-11-24T13:00');
    expect(consumedOf(review, shorter, 'working', at('2026-11-24T11:00Z'))).toBe(3 * HOUR);
    const steps: Step[] = [
      ['2026-11-24T08:00Z', { stage: 'In Review', value: 'High' }],
      ['2026-11-24T15:00Z', { value: 'Low' }],
    ];
    const [row] = foldEvents(review, null, story(steps.slice(0, 1)));
    if (!row) throw new Error('no row');
    const [longer] = foldEvents(review, fired(review, row, '2026-11-24T14:00Z'), story(steps));
    if (!longer) throw new Error('no row');
    expect(end(review, longer)).toBe('2026-11-26T09:00');
    expect(next(review, longer)).toBe('100% + 8 working_hours 2026-11-27T09:30');
  });

  it('fires only the last of what a shorter budget puts into the past', () => {
    const row = rowAfter(review, begun, ['2026-11-24T15:30Z', { value: 'High' }]);
    expect(due(review, row, '2026-11-24T15:31Z')).toEqual(['fire 100% 2026-11-24T13:00']);
  });

  // Rule: where the unit changes, consumption is counted anew; 50% of days is a whole number of them.
  it('counts days that closed while it ran, and not those that closed in a pause', () => {
    const days = rowAfter(review, begun, ['2026-11-25T10:00Z', { value: 'Slow' }]);
    expect([end(review, days), next(review, days)]).toEqual(['2026-11-27T14:00', '50% 2026-11-26T16:30']);
    const paused = rowAfter(
      review,
      ['2026-11-24T08:00Z', { stage: 'In Review', value: 'Slow' }],
      ['2026-11-25T10:00Z', { stage: 'Waiting' }],
      ['2026-11-26T07:00Z', { stage: 'In Review' }],
    );
    expect(end(review, paused)).toBe('2026-11-30T16:30');
    const closing = ['2026-11-25T16:30Z', { stage: 'Waiting' }] as const;
    expect(
      consumedOf(review, rowAfter(review, begun, closing), 'working_days', at('2026-11-26T10:00Z')),
    ).toBe(1);
  });

  // Rule: other values have no such clock.
  it('is none while its field has no budget', () => {
    const clock: Clock = { ...review, budget: { ...review.budget, else: null } };
    const none = rowAfter(clock, begun);
    expect([none.state, end(clock, none), next(clock, none)]).toEqual(['cancelled', undefined, undefined]);
    const some = rowAfter(clock, begun, ['2026-11-24T10:00Z', { value: 'High' }]);
    expect([some.state, end(clock, some)]).toEqual(['running', '2026-11-24T13:00']);
  });

  it('may begin at an instant that a field names, and is counted anew when that moves', () => {
    const clock: Clock = { ...review, runs: 'from_field', stages: new Set() };
    const received = momentOfDate(clock.calendar.zone, '2026-11-20', 'beginning');
    expect(iso(received)).toBe('2026-11-19T23:00:00.000Z');
    const typed: Step = ['2026-11-24T10:00Z', { stage: 'New', moment: iso(received) }];
    const row = rowAfter(clock, typed);
    expect(end(clock, row)).toBe('2026-11-24T10:30');
    // Of what is past when it begins the last fires.
    expect(due(clock, row, '2026-11-24T11:00Z')).toEqual([
      'fire 50% 2026-11-23T10:00',
      'fire 100% 2026-11-24T10:30',
    ]);
    const moved = rowAfter(clock, typed, ['2026-11-24T10:10Z', { moment: '2026-11-24T08:00Z' }]);
    expect([end(clock, moved), next(clock, moved)]).toEqual(['2026-11-26T09:00', '50% 2026-11-25T08:30']);
    expect(
      rowAfter(
        clock,
        ['2026-11-24T10:00Z', { stage: 'New', moment: '2026-12-01T08:00Z' }],
        ['2026-11-25T10:00Z', { stage: 'Waiting' }],
        ['2026-12-01T10:00Z', { stage: 'New' }],
      ),
    ).toMatchObject({ state: 'running' });
    expect(rowAfter(clock, typed, ['2026-11-24T10:10Z', { moment: null }]).state).toBe('cancelled');
  });

  it('keeps what was consumed when another calendar is in force', () => {
    const night: Clock = {
      ...review,
      calendar: calendarOf({ id: 'all', hours: { 'mon-sun': '00:00-24:00' }, holidays: [] }),
    };
    const row = rowAfter(review, begun);
    const options = { at: at('2026-11-24T10:00Z'), budgetValue: 'Low', moment: null, fires: false };
    const next = foldDefinition(review, night, row, options);
    expect(end(night, next)).toBe('2026-11-25T00:00');
    expect(consumedOf(night, next, 'working', at('2026-11-24T17:00Z'))).toBe(9 * HOUR);
    const tight: Clock = { ...review, budget: { of: new Map(), else: duration('1 working_hour') } };
    expect(due(tight, foldDefinition(review, tight, row, options), '2026-11-24T10:01Z')).toEqual([]);
    expect(
      due(tight, foldDefinition(review, tight, row, { ...options, fires: true }), '2026-11-24T10:01Z'),
    ).toEqual(['fire 100% 2026-11-24T09:00']);
  });

  it('keeps the end of an overdue clock, whatever another definition changes of the calendar or of other clocks', () => {
    const night: Clock = {
      ...review,
      calendar: calendarOf({ id: 'all', hours: { 'mon-sun': '00:00-24:00' }, holidays: [] }),
    };
    const row = rowAfter(review, begun);
    const options = { at: at('2026-12-24T10:00Z'), budgetValue: 'Low', moment: null, fires: false };
    for (const next of [review, night, { ...review, rungs: [] }])
      expect(end(next, foldDefinition(review, next, row, options))).toBe(end(review, row));
  });

  it('keeps the last 100 pauses, and what was consumed before them', () => {
    const steps: Step[] = [begun];
    for (let minute = 1; minute <= 200; minute += 1) {
      const time = iso(at('2026-11-24T08:00Z') + minute * 60_000);
      steps.push([time, { stage: minute % 2 === 1 ? 'Waiting' : 'In Review' }]);
    }
    steps.push(['2026-11-24T12:00Z', { stage: 'Waiting' }]);
    const row = rowAfter(review, ...steps);
    expect(row.pauses).toHaveLength(100);
    expect(consumedOf(review, row, 'working', at('2026-11-25T08:00Z'))).toBe(110 * 60_000);
  });
});

describe('a clock until a day', () => {
  const dated: Step = ['2026-11-16T09:00Z', { stage: 'New', moment: '2026-11-20T16:00Z' }];

  it('is due at its field, in pauses too, and counts back from there', () => {
    const row = rowAfter(close, dated, ['2026-11-17T09:00Z', { stage: 'Waiting' }]);
    expect([row.state, end(close, row), next(close, row)]).toEqual([
      'paused',
      '2026-11-20T16:00',
      '-2 days 2026-11-18T16:00',
    ]);
    expect(due(close, row, '2026-11-24T09:00Z')).toEqual([
      'fire -2 days 2026-11-18T16:00',
      'fire -1 day 2026-11-19T16:00',
      'fire 100% 2026-11-20T16:00',
      'fire +1 working_day 2026-11-23T16:30',
    ]);
    expect(momentOfDate(close.calendar.zone, '2026-11-20', 17 * HOUR)).toBe(at('2026-11-20T16:00Z'));
    expect(momentOfDate(close.calendar.zone, '2026-11-20', 'end')).toBe(at('2026-11-20T23:00Z'));
  });

  // Rule: where the field moves, those that lie ahead fire again; of those newly past only the last fires.
  it('fires again what lies ahead of a day that moves', () => {
    const steps: Step[] = [
      dated,
      ['2026-11-19T17:00Z', { moment: '2026-11-27T16:00Z' }],
      ['2026-11-23T09:00Z', { moment: '2026-11-23T08:00Z' }],
    ];
    const [row] = foldEvents(close, null, story(steps.slice(0, 1)));
    if (!row) throw new Error('no row');
    const [moved] = foldEvents(close, fired(close, row, '2026-11-19T16:30Z'), story(steps.slice(0, 2)));
    expect(moved && next(close, moved)).toBe('-2 days 2026-11-25T16:00');
    const [back] = foldEvents(close, moved ?? null, story(steps));
    expect(back && due(close, back, '2026-11-23T10:00Z')).toEqual(['fire 100% 2026-11-23T08:00']);
  });

  // A worker that was down does not tell of a day that is no longer meant.
  it('does not fire what a later event has put ahead', () => {
    const row = rowAfter(close, dated, ['2026-11-19T17:00Z', { moment: '2026-11-27T16:00Z' }]);
    expect(due(close, row, '2026-11-20T09:00Z')).toEqual([]);
  });

  it('leaves a hundred rungs at most for one look', () => {
    const often: Clock = { ...close, rungs: [rung('100%', '1 minute', 1000), rung('-1 day')] };
    const row = rowAfter(often, dated);
    expect(rungsDue(often, row, at('2027-01-01T00:00Z'), Infinity)).toHaveLength(100);
  });

  it('fires the last rung of those that are past when it begins, once', () => {
    const row = rowAfter(close, ['2026-11-24T09:00Z', { stage: 'New', moment: '2025-01-31T16:00Z' }]);
    expect(due(close, row, '2026-11-24T10:00Z')).toEqual(['fire +1 working_day 2025-02-03T16:30']);
    const done = fired(close, row, '2026-11-24T10:00Z');
    expect([due(close, done, '2026-11-25T10:00Z'), next(close, done)]).toEqual([[], undefined]);
    const near = rowAfter(close, ['2026-11-24T09:00Z', { stage: 'New', moment: '2026-11-25T10:00Z' }]);
    expect(due(close, near, '2026-11-24T09:00Z')).toEqual(['fire -2 days 2026-11-23T10:00']);
    expect(isOverdue(close, row, at('2026-11-24T10:00Z'))).toBe(true);
    expect(rowAfter(close, ['2026-11-24T09:00Z', { stage: 'New' }], dated).visit).toBe(2);
  });
});

describe('why a clock stands as it does', () => {
  it('is a sentence', () => {
    const row = rowAfter(
      review,
      ['2026-11-23T12:55Z', { stage: 'In Review', value: 'Low' }],
      ['2026-11-23T14:25Z', { stage: 'Waiting' }],
      ['2026-11-23T16:30Z', { stage: 'In Review' }],
    );
    const why = whyClock(review, row, at('2026-11-24T11:30Z'));
    expect(english(why)).toBe(
      'due Wed 25 Nov 17:00 office time: 11 h of work left; paused 2 h 5 min in Waiting',
    );
    const said = (clock: Clock, now: string, ...steps: Step[]): string =>
      english(whyClock(clock, rowAfter(clock, ...steps), at(now)));
    const slow: Step = ['2026-11-24T08:00Z', { stage: 'In Review', value: 'Slow' }];
    expect(said(review, '2026-11-25T17:00Z', slow)).toBe(
      'due Fri 27 Nov 15:00 office time: 2 working days left',
    );
    expect(said(review, '2027-01-04T10:00Z', slow)).toBe(
      'was due Fri 27 Nov 2026 15:00 office time: 24 working days over',
    );
    expect(said(review, '2026-11-24T09:00Z', slow, ['2026-11-24T08:30Z', { stage: 'Waiting' }])).toBe(
      'stands still: 3 working days left; paused 30 min in Waiting',
    );
    expect(said(review, '2026-11-24T09:00Z', slow, ['2026-11-24T08:30Z', { stage: 'Approved' }])).toBe(
      'met Tue 24 Nov 09:30',
    );
    expect(
      said(close, '2026-11-24T09:00Z', ['2026-11-16T09:00Z', { stage: 'New', moment: '2026-11-27T16:00Z' }]),
    ).toBe('due Fri 27 Nov 17:00 office time');
  });
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
    steps.map(({ minutes, ...change }, index) => {
      time += minutes * 60_000;
      const { stage = index === 0 ? 'New' : undefined, value, moment } = change;
      return [
        iso(time),
        { ...(stage && { stage }), ...(value && { value }), ...(moment !== undefined && { moment }) },
      ] as const;
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

  // The end is the first instant at which the budget is consumed.
  it('consume exactly the budget until the end', () => {
    fc.assert(
      fc.property(anyClock, anyStory, (clock, events) => {
        const row = foldEvents(clock, null, events).at(-1);
        const instant = row && endOf(clock, row);
        if (!row?.budget || instant === null || instant === undefined || clock.runs === 'until_field') return;
        const { amount, unit } = row.budget;
        const [measure, size] =
          unit === 'working_days' ? (['working_days', 1] as const) : (['working', HOUR] as const);
        expect(consumedOf(clock, row, measure, instant)).toBe(amount * size);
        expect(consumedOf(clock, row, measure, instant - 1)).toBeLessThan(amount * size);
      }),
    );
  });
});
