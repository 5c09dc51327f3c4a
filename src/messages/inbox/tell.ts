import { type NotificationChannel, type NotificationReason } from '../../common/column-values.js';
import { type Happened } from './reason.js';
import { reasonTypes } from './reason-types.js';

/** A user who is notified of an event. */
export interface Told {
  readonly userId: string;
  readonly reason: NotificationReason;
  readonly channel: Exclude<NotificationChannel, 'off'>;
}

/** Decides whether a user is notified of an event that concerns them. */
export interface Listeners {
  /** Whether the user sees the task. */
  sees(userId: string): boolean;
  channelOf(userId: string, reason: NotificationReason): NotificationChannel;
}

/** The users to notify of an event, each once, by the strongest reason that they want to hear of. */
export function whoIsTold(happened: Happened, listeners: Listeners): Told[] {
  if (happened.source.silent === true) return [];
  const told = new Map<string, Told>();
  for (const [reason, type] of reasonTypes) {
    if (!type.types.some((each) => each === happened.event.type)) continue;
    for (const userId of type.whom(happened)) {
      if (told.has(userId) || (userId === happened.doer && type.tellsDoer !== true)) continue;
      const channel = listeners.channelOf(userId, reason);
      if (channel !== 'off' && listeners.sees(userId)) told.set(userId, { userId, reason, channel });
    }
  }
  return [...told.values()];
}
