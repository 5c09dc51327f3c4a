import {
  type ClaimedWindow,
  mailWindowJob,
  type MailWindowKey,
  windowLeases,
} from './mail-windows.repository.js';
import { NotificationMailer } from './notification-mailer.js';
import { type JobKind, leasedBy } from '../../../common/ops/job-kind.js';

export const notificationMail: JobKind<MailWindowKey, ClaimedWindow> = {
  name: mailWindowJob,
  next: '(SELECT min(due_at) FROM mail_windows)',
  // Mail servers allow few connections.
  places: 8,
  // A hanging mail server blocks places, so one workspace gets at most half of them.
  shares: { ofWorkspace: 4 },
  isOutbound: true,
  ...leasedBy(windowLeases),
  run: (parts, claimed, place) => parts.provider(NotificationMailer).run(claimed, place),
};
