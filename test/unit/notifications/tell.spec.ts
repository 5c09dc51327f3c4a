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

/** An event of a task, as far as it is looked at. */
const blank = { type: 'task.updated', about: null, valuesFrom: null } as RecordedEvent;

function happened(
  event: Partial<RecordedEvent>,
  source: EventSource,
  assigneeId: string | null = null,
): Happened {
  const whole = { ...blank, ...event };
  return { event: whole, source, doer: doerOf(whole, source), assigneeId, watchers: new Map() };
}

const all: Listeners = { sees: () => true, channelOf: () => 'mail' };
const cause = { kind: 'rule', id: 'give', event: null, chain: [], initiator: 'ines' } as const;

describe('the users to notify of an event', () => {
  const told = (event: Partial<RecordedEvent>, assigneeId?: string): string[] =>
    whoIsTold(happened(event, {}, assigneeId), all).map(({ userId }) => userId);

  it('a checklist item is assigned when it gets another assignee', () => {
    const item = (before: string | null, after: string | null): string[] =>
      told({ type: 'checklist_item.updated', about: { assignee: after }, valuesFrom: { assignee: before } });
    expect([item(null, 'theo'), item('theo', 'theo'), item('theo', null)]).toEqual([['theo'], [], []]);
  });

  it('a run whose action could not begin has not failed', () => {
    const about = { performer: 'theo', unavailable: true };
    expect(told({ type: 'execution.failed', about }, 'theo')).toEqual([]);
  });
});

describe('the user who made a change', () => {
  it('is the one who triggered the rule; a change by a timer is news to everybody', () => {
    expect(doerOf(blank, { user: 'theo', cause })).toBe('ines');
    expect(doerOf(blank, { cause: { ...cause, kind: 'timer' } })).toBeUndefined();
  });

  it('is shown as the system if the reader may not know the rule', () => {
    expect(actorOfNotification(blank, { cause }, () => false)).toEqual({ kind: 'system', id: null });
  });
});

it('a performer watches the task from then on, but not a user in whose name a rule acts', () => {
  const begun = { type: 'execution.started', about: { performer: 'theo' } };
  expect(newWatchers(happened(begun, {}))).toEqual(['theo']);
  expect(newWatchers(happened(begun, { cause }))).toEqual([]);
});
