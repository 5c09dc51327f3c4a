import { type NotificationReason, notificationReasons } from '../../common/column-values.js';
import { type ReasonType } from './reason.js';
import { whenAskedToApprove } from './reasons/approval.js';
import { whenAssigned } from './reasons/assigned.js';
import { whenDue } from './reasons/due.js';
import { whenFailed } from './reasons/failed.js';
import { whenMentioned } from './reasons/mentioned.js';
import { whileWatching } from './reasons/watching.js';

const byName: Readonly<Record<NotificationReason, ReasonType>> = {
  mentioned: whenMentioned,
  assigned: whenAssigned,
  approval: whenAskedToApprove,
  due: whenDue,
  failed: whenFailed,
  watching: whileWatching,
};

/** All reasons with their types, the strongest first. */
export const reasonTypes: readonly (readonly [NotificationReason, ReasonType])[] = notificationReasons.map(
  (name) => [name, byName[name]],
);
