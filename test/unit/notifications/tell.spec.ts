import { type RecordedEvent } from '../../../src/events/events.repository.js';
import { type EventSource } from '../../../src/common/origin.js';
import {
  newWatchers,
  type Listeners,
  whoIsTold,
  actorOfNotification,
  doerOf,
} from '../../../src/messages/inbox/tell.js';
import { type Happened } from '../../../src/messages/inbox/reasons.js';

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

describe('the users to notify of an event', () => {
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
  it('is whoever led to a rule, but of a timer nobody: what it does later is news to them, too', () => {
    expect(doerOf(blank, { user: 'theo', cause })).toBe('ines');
    expect(doerOf(blank, { cause: { ...cause, kind: 'timer' } })).toBeUndefined();
  });

  it('is the system where the reader may not know the rule', () => {
    expect(actorOfNotification(blank, { cause }, () => false)).toEqual({ kind: 'system', id: null });
  });
});

it('a performer watches the task from then on, but not a user in whose name a rule acts', () => {
  const begun = { type: 'execution.started', about: { performer: 'theo' } };
  expect(newWatchers(happened(begun, {}))).toEqual(['theo']);
  expect(newWatchers(happened(begun, { cause }))).toEqual([]);
});
