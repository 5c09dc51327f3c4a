import { type NotificationChannel, type NotificationReason } from '../database/column-values.js';
import { type NotificationChoices } from '../workspace/entities/user.entity.js';

/** The channel of a user for a reason: their choice, else the definition's, else mail as well. */
export function channelFor(
  reason: NotificationReason,
  chosen: NotificationChoices,
  defaults: NotificationChoices,
): NotificationChannel {
  return chosen[reason] ?? defaults[reason] ?? 'mail';
}
