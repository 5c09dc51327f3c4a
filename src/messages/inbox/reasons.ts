import { type NotificationReason, type WatchState } from '../../common/column-values.js';
import { type EventSource } from '../../common/origin.js';
import { type RecordedEvent } from '../../events/events.repository.js';

export interface Happened {
  readonly event: RecordedEvent;
  readonly source: EventSource;
  /** The internal id of the user who caused the event, as `doerOf` returns it. */
  readonly doer: string | undefined;
  readonly assigneeId: string | null;
  /** Maps the id of a user to the user's watch state. */
  readonly watchers: ReadonlyMap<string, WatchState>;
}

/**
 * Why a user is notified. To add a reason, first add it to `notificationReasons`. The compiler then reports
 * every other place that must know it.
 */
interface ReasonType {
  /** The types of events that give this reason. */
  readonly types: readonly string[];
  /** The users to notify. `whoIsTold` leaves out users who do not see the task. */
  readonly whom: (happened: Happened) => readonly string[];
  /** Whether the user who caused the event is notified too. */
  readonly tellsDoer?: boolean;
}

export const reasons: Readonly<Record<NotificationReason, ReasonType>> = {
  /** A comment contains @ and the user's e-mail address. */
  mentioned: {
    types: ['comment.created'],
    whom: ({ event }) => Object.values(mentionsOf(event.about)),
  },
  assigned: {
    types: ['task.created', 'task.updated', 'checklist_item.created', 'checklist_item.updated'],
    whom: ({ event }) => newAssignee(event) ?? [],
  },
  approval: {
    types: ['approval.requested'],
    whom: ({ event }) => whoMayDecide(event.about),
  },
  /** A rung of a clock was reached: a reminder before the end, the end itself, or an escalation after it. */
  due: {
    types: ['clock.fired'],
    whom: ({ assigneeId }) => (assigneeId === null ? [] : [assigneeId]),
  },
  /** An action failed after it had started. The assignee and the user who started the action are notified. */
  failed: {
    types: ['execution.failed'],
    tellsDoer: true,
    whom({ event, doer, assigneeId }) {
      if (event.about?.['unavailable'] === true) return [];
      return [assigneeId, doer].filter((user) => user != null);
    },
  },
  watching: {
    types: [
      'task.updated',
      'comment.created',
      'checklist_item.created',
      'checklist_item.updated',
      'checklist_item.deleted',
      'execution.failed',
      'clock.fired',
      'approval.decided',
      'approval.stale',
    ],
    whom: ({ watchers }) => [...watchers].filter(([, state]) => state !== 'muted').map(([user]) => user),
  },
};

export const isOfReason = (reason: NotificationReason, type: string | null): boolean =>
  reasons[reason].types.some((each) => each === type);

/** Returns what the actor of an event did. `event` is a type of events or a decision (see `eventOrDecision`). */
export const wordsForWatchers = (event: string | null): string => watched.get(event ?? '') ?? 'changed this';

const watched: ReadonlyMap<string, string> = new Map([
  ['approve', 'approved this'],
  ['reject', 'declined this'],
  ['withdraw', 'took back a decision'],
  ['comment.created', 'commented'],
  ['clock.fired', 'reached a deadline'],
  ['execution.failed', 'could not finish an action'],
]);

/** Maps the lower-case address of a mentioned user to the user's id, like `mentions` of a comment. */
function mentionsOf(about: RecordedEvent['about']): Readonly<Record<string, string>> {
  const mentions = about?.['mentions'];
  // Only the trigger of the comments table writes this value, and it writes strings.
  return typeof mentions === 'object' && mentions !== null ? (mentions as Record<string, string>) : {};
}

function newAssignee({ type, assigneeTo, about, valuesFrom }: RecordedEvent): string[] | undefined {
  if (type.startsWith('task.')) return assigneeTo === null ? undefined : [assigneeTo];
  const [before, after] = [valuesFrom?.['assignee'], about?.['assignee']];
  return typeof after === 'string' && after !== before ? [after] : undefined;
}

function whoMayDecide(about: RecordedEvent['about']): readonly string[] {
  const open = about?.['open'];
  return Array.isArray(open) ? open.filter((user) => typeof user === 'string') : [];
}
