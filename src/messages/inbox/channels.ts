import { type NotificationChannel, type NotificationReason } from '../../common/column-values.js';
import { type NotificationChoices } from '../../workflows/model/entities/user.entity.js';

/** The channel of a user for a reason: their choice, else the definition's, else mail as well. */
export function channelFor(
  reason: NotificationReason,
  chosen: NotificationChoices,
  defaults: NotificationChoices,
): NotificationChannel {
  return chosen[reason] ?? defaults[reason] ?? 'mail';
}
