import { type NotificationChannel, type NotificationReason } from '../entities/column-values.js';
import { type NotificationChoices } from '../entities/user.entity.js';

/** Where somebody is told for this reason: as they have chosen, else as the definition says, else by mail, too. */
export function channelFor(
  reason: NotificationReason,
  chosen: NotificationChoices,
  defaults: NotificationChoices,
): NotificationChannel {
  return chosen[reason] ?? defaults[reason] ?? 'mail';
}
