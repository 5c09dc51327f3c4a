import {
  claimWindow,
  type ClaimedWindow,
  dueWindows,
  mailWindowJob,
  type MailWindowKey,
  releaseWindow,
  renewWindow,
} from '../../notifications/mail/mail-windows.repository.js';
import { NotificationMailer } from '../../notifications/mail/notification-mailer.js';
import { type JobKind } from '../job-kind.js';

/** Mails what people were told of and have not read. */
export const notificationMail: JobKind<MailWindowKey, ClaimedWindow> = {
  name: mailWindowJob,
  pauseMs: 1000,
  // Mail servers let few connections in.
  places: 8,
  // A mail server that hangs keeps places: one is always left for the next workspace.
  shares: { leavesHalf: true },
  staysInQueue: false,
  // What was sent cannot be taken back.
  isLeaseStrict: true,
  keyOf: ({ workspaceId, id }) => `${workspaceId}/${id}`,
  due: ({ db }, { limit }) => dueWindows(db, limit),
  claim: ({ db, config }, key) => claimWindow(db, key, config.leaseMs),
  renew: ({ db, config }, claimed) => renewWindow(db, claimed, config.leaseMs),
  run: (parts, claimed, place) => parts.provider(NotificationMailer).run(claimed, place),
  release: ({ db }, claimed) => releaseWindow(db, claimed),
};
