import {
  type NotificationChannel,
  type NotificationReason,
  notificationReasons,
} from '../../common/column-values.js';
import { type Happened, isOfReason, reasons } from './reasons.js';
import { type EventSource } from '../../common/origin.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type NotificationActor } from './notification.entity.js';
import { type Known, knownCause } from '../../workflows/model/known.js';
import { type Workspace } from '../../workflows/model/workspace.js';

export interface Told {
  readonly userId: string;
  readonly reason: NotificationReason;
  readonly channel: Exclude<NotificationChannel, 'off'>;
}

export interface Listeners {
  sees(userId: string): boolean;
  channelOf(reason: NotificationReason): NotificationChannel;
}

/**
 * Returns the users to notify of an event, each once. Ignores reasons whose channel is `off`. If several of
 * the remaining reasons apply to a user, the first one in `notificationReasons` counts.
 */
export function whoIsTold(happened: Happened, listeners: Listeners): Told[] {
  if (happened.source.silent === true) return [];
  const told = new Map<string, Told>();
  for (const reason of notificationReasons.filter((each) => isOfReason(each, happened.event.type))) {
    const { whom, tellsDoer } = reasons[reason];
    const channel = listeners.channelOf(reason);
    if (channel === 'off') continue;
    for (const userId of whom(happened)) {
      if (told.has(userId) || (userId === happened.doer && tellsDoer !== true)) continue;
      if (listeners.sees(userId)) told.set(userId, { userId, reason, channel });
    }
  }
  return [...told.values()];
}

/**
 * Returns the users who start to watch the task: users who are assigned or mentioned, and the user who
 * creates the task, comments on it or starts an action.
 */
export function newWatchers(happened: Happened): readonly string[] {
  const { event, source } = happened;
  const doer = actsThemselves(event, source) ? happened.doer : undefined;
  return [
    ...(doer === undefined ? [] : [doer]),
    ...(['assigned', 'mentioned'] as const)
      .filter((reason) => isOfReason(reason, event.type))
      .flatMap((reason) => reasons[reason].whom(happened)),
  ];
}

const own: ReadonlySet<string> = new Set(['task.created', 'comment.created', 'execution.started']);

const actsThemselves = ({ type }: RecordedEvent, { cause }: EventSource): boolean =>
  own.has(type) && cause === undefined;

/** The channel for a reason, as the definition sets it. Default: the inbox and mail. */
export function channelFor(
  reason: NotificationReason,
  { notifications }: Pick<Workspace, 'notifications'>,
): NotificationChannel {
  return notifications[reason] ?? 'mail';
}

/**
 * Returns the user who caused an event, directly or through rules. Returns undefined for a timer, because the
 * effect of a timer is news even to the user who set it.
 */
export function doerOf(event: RecordedEvent, source: EventSource): string | undefined {
  if (source.cause?.kind === 'timer') return undefined;
  return source.cause ? source.cause.initiator : userIn(event, source);
}

/** The actor of a notification, as shown to a user who knows only the workflows in `known`. */
export function actorOfNotification(
  event: RecordedEvent,
  source: EventSource,
  known: Known,
): NotificationActor {
  const user = userIn(event, source);
  if (user !== undefined) return { kind: 'user', id: user };
  if (source.key !== undefined) return { kind: 'key', id: source.key };
  const cause = knownCause(source.cause, known);
  return cause ? { kind: cause.kind, id: cause.id } : { kind: 'system', id: null };
}

/** The author of a comment or the performer of an execution; otherwise the user of the request. */
function userIn({ type, about }: RecordedEvent, { user }: EventSource): string | undefined {
  const own = type.startsWith('execution.') ? about?.['performer'] : about?.['author'];
  return typeof own === 'string' ? own : user;
}
