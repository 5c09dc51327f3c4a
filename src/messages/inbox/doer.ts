import { type NotificationActor } from './notification.entity.js';
import { type EventSource } from '../../common/origin.js';
import { type Known, knownCause } from '../../workflows/model/known.js';
import { type RecordedEvent } from '../../events/events.repository.js';

/**
 * The user who caused an event, also by way of rules. Undefined if the cause is no person, or a timer: what it does
 * later is news to the person who led to it, too.
 */
export function doerOf(event: RecordedEvent, source: EventSource): string | undefined {
  if (source.cause?.kind === 'timer') return undefined;
  return source.cause ? source.cause.initiator : userIn(event, source);
}

/** The actor that a notification names to somebody who knows these workflows. */
export function actorOfNotification(
  event: RecordedEvent,
  source: EventSource,
  known: Known,
): NotificationActor {
  const clock = event.type === 'clock.fired' ? event.about?.['clock'] : undefined;
  if (typeof clock === 'string') return { kind: 'clock', id: clock };
  const user = userIn(event, source);
  if (user !== undefined) return { kind: 'user', id: user };
  if (source.key !== undefined) return { kind: 'key', id: source.key };
  const cause = knownCause(source.cause, known);
  return cause ? { kind: cause.kind, id: cause.id } : { kind: 'system', id: null };
}

/** The author of a comment, the performer of an execution, or otherwise the user of the request. */
function userIn({ type, about }: RecordedEvent, { user }: EventSource): string | undefined {
  const own = type.startsWith('execution.') ? about?.['performer'] : about?.['author'];
  return typeof own === 'string' ? own : user;
}
