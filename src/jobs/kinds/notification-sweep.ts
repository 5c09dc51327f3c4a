import { forgetNotifications } from '../../notifications/inbox.repository.js';
import { type Sweep } from '../job-kind.js';

/** Drops notifications that were read or done with 90 days ago. */
export const notificationSweep: Sweep = {
  name: 'notification-sweep',
  pauseMs: () => 60_000,
  async sweep({ db }) {
    while ((await forgetNotifications(db)) > 0);
  },
};
