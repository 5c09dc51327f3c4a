import { knowsAll } from '../../../src/workflows/model/known.js';
import fc from 'fast-check';
import { notificationReasons, type NotificationReason } from '../../../src/common/column-values.js';
import { type RecordedEvent } from '../../../src/events/events.repository.js';
import { type EventSource } from '../../../src/common/origin.js';
import {
  newWatchers,
  type Listeners,
  whoIsTold,
  actorOfNotification,
  doerOf,
} from '../../../src/messages/inbox/tell.js';
import { type Happened } from '../../../src/messages/inbox/reason.js';

const blank: RecordedEvent = {
  place: '1',
  id: '00000000-0000-4000-8000-000000000000',
  type: 'task.updated',
  happenedAt: new Date(0),
  origin: null,
  workflowId: 1,
  taskId: '1',
  publicId: 'p',
  uniqueValue: null,
  version: 1,
  stageFrom: null,
  stageTo: null,
  assigneeFrom: null,
  assigneeTo: null,
  valuesFrom: null,
  valuesTo: null,
  links: null,
  about: null,
};

function happened(
  event: Partial<RecordedEvent>,
  source: EventSource,
  more: Partial<Happened> = {},
): Happened {
  const whole = { ...blank, ...event };
  const doer = doerOf(whole, source);
  return { event: whole, source, doer, assigneeId: null, watchers: new Map(), ...more };
}

const all: Listeners = { sees: () => true, channelOf: () => 'mail' };
const cause = { kind: 'rule', id: 'give', event: null, chain: [], initiator: 'ines' } as const;

const user = fc.constantFrom('ines', 'mina', 'theo', 'jens');
const anything = fc.record({
  event: fc.record({
    type: fc.constantFrom(
      'task.created',
      'task.updated',
      'comment.created',
      'execution.failed',
      'execution.started',
      'clock.fired',
      'checklist_item.updated',
    ),
    assigneeTo: fc.option(user),
    about: fc.option(
      fc.record({
        author: fc.option(user),
        performer: fc.option(user),
        assignee: fc.option(user),
        mentions: fc.dictionary(fc.constantFrom('a@b.c', 'd@e.f'), user),
      }),
    ),
  }),
  source: fc.record({ user: fc.option(user, { nil: undefined }), cause: fc.constantFrom(undefined, cause) }),
  assigneeId: fc.option(user),
  watchers: fc
    .dictionary(user, fc.constantFrom('auto', 'on', 'muted'))
    .map((states) => new Map(Object.entries(states))),
});

describe('the users to notify of an event', () => {
  it('each person once; not the author of the event, except for a failure; not those who do not see the task', () => {
    fc.assert(
      fc.property(anything, fc.subarray(['ines', 'mina', 'theo', 'jens']), (given, seeing) => {
        const { event, source, ...more } = given;
        const one = happened(event, source, more);
        const told = whoIsTold(one, { ...all, sees: (id) => seeing.includes(id) });
        const ids = told.map(({ userId }) => userId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => !seeing.includes(id))).toEqual([]);
        expect(told.filter(({ userId, reason }) => userId === one.doer && reason !== 'failed')).toEqual([]);
        expect(whoIsTold({ ...one, source: { ...source, silent: true } }, all)).toEqual([]);
      }),
    );
  });

  it('by the strongest reason for which they want to hear', () => {
    fc.assert(
      fc.property(anything, fc.subarray([...notificationReasons]), (given, off) => {
        const { event, source, ...more } = given;
        const one = happened(event, source, more);
        const channelOf = (_: string, reason: NotificationReason) => (off.includes(reason) ? 'off' : 'mail');
        const [every, some] = [whoIsTold(one, all), whoIsTold(one, { ...all, channelOf })];
        for (const { userId, reason } of some) {
          expect(off).not.toContain(reason);
          const strongest = every.find((told) => told.userId === userId);
          const rank = (name: NotificationReason | undefined): number =>
            name === undefined ? -1 : notificationReasons.indexOf(name);
          expect(rank(strongest?.reason)).toBeLessThanOrEqual(rank(reason));
          if (strongest && !off.includes(strongest.reason)) expect(reason).toBe(strongest.reason);
        }
      }),
    );
  });

  it('an item of a checklist is assigned when its assignee becomes another', () => {
    const item = (before: string | null, after: string | null): string[] =>
      whoIsTold(
        happened(
          { type: 'checklist_item.updated', about: { assignee: after }, valuesFrom: { assignee: before } },
          {},
        ),
        all,
      ).map(({ userId }) => userId);
    expect([item(null, 'theo'), item('theo', 'theo'), item('theo', null)]).toEqual([['theo'], [], []]);
  });

  it('a run whose action could not begin has not failed', () => {
    const about = { performer: 'theo', unavailable: true };
    expect(whoIsTold(happened({ type: 'execution.failed', about }, {}, { assigneeId: 'theo' }), all)).toEqual(
      [],
    );
  });
});

describe('who did it', () => {
  it('"with a rule in between, the initiator", while the notification names the rule', () => {
    expect(doerOf(blank, { user: 'theo', cause })).toBe('ines');
    // What a timer does later is news to the person who led to it, too.
    expect(doerOf(blank, { cause: { ...cause, kind: 'timer' } })).toBeUndefined();
    expect(actorOfNotification(blank, { cause }, knowsAll)).toEqual({ kind: 'rule', id: 'give' });
    expect(actorOfNotification(blank, { cause }, () => false)).toEqual({ kind: 'system', id: null });
    expect(doerOf(blank, { user: 'theo' })).toBe('theo');
    expect(doerOf(blank, { key: 'k' })).toBeUndefined();
    expect(actorOfNotification(blank, { key: 'k' }, knowsAll)).toEqual({ kind: 'key', id: 'k' });
    const due = { ...cause, kind: 'clock', id: 'due' } as const;
    expect(actorOfNotification({ ...blank, type: 'clock.fired' }, { cause: due }, knowsAll)).toEqual({
      kind: 'clock',
      id: 'due',
    });
    expect(actorOfNotification(blank, {}, knowsAll)).toEqual({ kind: 'system', id: null });
  });
});

it('a performer watches the task from then on, but not a user in whose name a rule acts', () => {
  const begun = { type: 'execution.started', about: { performer: 'theo' } };
  expect(newWatchers(happened(begun, {}))).toEqual(['theo']);
  expect(newWatchers(happened(begun, { cause }))).toEqual([]);
});
