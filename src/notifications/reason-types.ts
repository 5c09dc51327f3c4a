import { type NotificationReason, notificationReasons } from '../entities/column-values.js';
import { type ReasonType } from './reason.js';
import { assigned } from './reasons/assigned.js';
import { due } from './reasons/due.js';
import { failed } from './reasons/failed.js';
import { mentioned } from './reasons/mentioned.js';
import { watching } from './reasons/watching.js';

const byName: Readonly<Partial<Record<NotificationReason, ReasonType>>> = {
  mentioned,
  assigned,
  due,
  failed,
  watching,
};

/** Every reason with its type, the strongest first. */
export const reasonTypes: readonly (readonly [NotificationReason, ReasonType])[] =
  notificationReasons.flatMap((name) => {
    const type = byName[name];
    return type ? [[name, type] as const] : [];
  });
